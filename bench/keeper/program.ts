// The program itself, in a separate home, with a keeper.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Holdfast } from "@holdfast/sdk";

/** The program of this commit. */
export const thisProgram = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));

/** A host that listens. */
export interface ProgramHost {
  readonly url: string;
  readonly sdk: Holdfast;
  /** From the start of its process. */
  readonly startMs: number;
  kill(): Promise<void>;
}

/** Starts a host; resolves when it listens. */
export async function startProgram(
  program: string,
  home: string,
  words: readonly string[] = ["--port", "0"],
): Promise<ProgramHost> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [program, "serve", "--home", home, "--json", ...words], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, HOLDFAST_NO_KEEPER: "", SHELL: "/bin/sh" },
  });
  const exited = once(child, "exit");
  const [line] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    exited.then(() => ["{}"] as const),
  ]);
  const startMs = performance.now() - startedMs;
  const { url } = JSON.parse(String(line)) as { url?: string };
  if (url === undefined) throw new Error(`${program} ended before it was ready`);
  const apiKey = readFileSync(path.join(home, "token"), "utf8").trim();
  return {
    url,
    sdk: new Holdfast({ baseUrl: url, apiKey, retry: { attempts: 100 } }),
    startMs,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Ends the host and the keeper of a home. */
export async function stopAll(home: string): Promise<void> {
  await once(
    spawn(process.execPath, [thisProgram, "stop", "--all", "--home", home], { stdio: "ignore" }),
    "exit",
  );
}
