// Reports on a host that hung: written by the watchdog, mentioned once by the next start (C221).
import { readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { Log } from "@holdfast/core";
import { systemCode } from "../command-error.ts";
import { replaceFile } from "./whole-file.ts";

export interface Sample {
  /** How long its loop had not turned. */
  readonly elapsedMs: number;
  /** Its stack; absent when it was in native code. */
  readonly frames: readonly string[] | undefined;
}

export interface Hang {
  readonly elapsedMs: number;
  readonly cpuMs: number;
  readonly samples: readonly Sample[];
}

/** The name of a report that no start has mentioned yet; later it has its time in its name. */
const newReport = "hang-report.txt";
const oldReport = /^hang-report-.+\.txt$/;
const keptReports = 5;

export function describeHang({ elapsedMs, cpuMs }: Hang): string {
  return `The host hung: its event loop has not run for ${seconds(elapsedMs)}, in which its main thread used ${seconds(cpuMs)} of CPU time. The watchdog ends it`;
}

/** Writes the report into the home; gives its file, or nothing where it could not be written. */
export function writeHangReport(home: string, hang: Hang): string | undefined {
  const { rss } = process.memoryUsage();
  const lines = [
    `${describeHang(hang)}.`,
    "",
    `Time      ${new Date().toISOString()}`,
    `Process   ${process.pid}, up ${seconds(process.uptime() * 1000)}`,
    `Node.js   ${process.version}, ${process.platform} ${process.arch}`,
    `Memory    ${mebibytes(rss)} resident`,
    ...hang.samples.flatMap(describeSample),
    "",
    "Please attach this report when you report the problem. It holds names of functions and files, no data.",
    "",
  ];
  const file = path.join(home, newReport);
  try {
    replaceFile(file, lines.join("\n"));
    return file;
  } catch {
    // A full disk, perhaps. The log has the sentence, and the host must end.
    return undefined;
  }
}

/** Mentions the report that the last host left, once, and keeps the newest ones. */
export function mentionHangReport(home: string, log: Log): void {
  const time = new Date().toISOString().replaceAll(":", "-");
  const file = path.join(home, `hang-report-${time}.txt`);
  try {
    renameSync(path.join(home, newReport), file);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return;
    throw error;
  }
  log("warn", "The last host hung and was ended by its watchdog; the report says where", { report: file });
  const reports = readdirSync(home).filter((name) => oldReport.test(name));
  for (const name of reports.toSorted().slice(0, -keptReports)) {
    rmSync(path.join(home, name), { force: true });
  }
}

function describeSample({ elapsedMs, frames }: Sample): readonly string[] {
  const title = `Main thread after ${seconds(elapsedMs)}:`;
  if (frames === undefined) return ["", title, "    It is in native code, where no stack can be read."];
  return ["", title, ...frames.map((frame) => `    ${frame}`)];
}

function seconds(timeMs: number): string {
  return `${(timeMs / 1000).toFixed(1)} s`;
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MiB`;
}
