// Runs `holdfast doctor` as a process on a machine from which something has really been taken away.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Finding } from "../doctor/finding.ts";
import { findProgram } from "../doctor/find-program.ts";
import { programFile } from "./program-file.ts";

/** Programs that the doctor and its trials need. */
const plainTools = ["sh", "env", "node", "unshare", "mount", "mkfifo", "tty", "stty", "setpriv", "sleep"];

/** How to run it. */
export interface DoctorRunOptions {
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Arguments before the program, such as those that put it into a separate namespace. */
  readonly wrapper?: readonly string[];
}

/** Its findings. */
export interface DoctorRun {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly healthy: boolean;
  find(id: string): Finding;
}

/** Examines, and gives the findings. */
export async function runDoctor({ home, environment, wrapper = [] }: DoctorRunOptions): Promise<DoctorRun> {
  const program = [process.execPath, programFile];
  const [command, ...words] = [...wrapper, ...program, "doctor", "--json", "--home", home];
  const child = spawn(command, words, { cwd: "/", env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [exitCode] = (await once(child, "close")) as [number | null];
  if (stdout === "") throw new Error(`It found nothing:\n${stderr}`);
  const { healthy, findings } = JSON.parse(stdout) as { healthy: boolean; findings: Finding[] };
  const find = (id: string): Finding => {
    const found = findings.find((each) => each.id === id);
    if (found === undefined) throw new Error(`Nothing was found of ${id}:\n${stdout}`);
    return found;
  };
  return { exitCode, stderr, healthy, find };
}

/** Makes a folder that is a whole PATH: with the plainest tools, and with programs that say this. */
export function makePath(folder: string, programs: Readonly<Record<string, string>> = {}): string {
  mkdirSync(folder, { recursive: true });
  for (const name of plainTools) {
    const file = findProgram(name, process.env);
    if (file !== undefined) symlinkSync(file, path.join(folder, name));
  }
  for (const [name, script] of Object.entries(programs)) {
    const file = path.join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }
  return folder;
}
