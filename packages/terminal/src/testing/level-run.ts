// Runs test files again in a separate vitest, with every run of theirs at an isolation level.
import { spawn } from "node:child_process";
import { chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { SandboxSpec } from "../process/port.ts";
import { asOrdinaryUser, ordinaryUserId } from "./ordinary-user.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** Test files, and the level that they run at. */
export interface LevelRun {
  readonly level: SandboxSpec["level"];
  /** As in `HOLDFAST_SANDBOX_BACKENDS`. */
  readonly backend: string;
  /** Whether an ordinary user runs it; only root can have it so. */
  readonly asUser: boolean;
  /** Below `packages/terminal/src`. */
  readonly files: readonly string[];
  /** Titles of tests; all if left out. */
  readonly titles?: RegExp | undefined;
}

/** The result of a run: how many tests passed, and what the others said. */
export interface LevelOutcome {
  readonly passed: number;
  readonly failures: readonly string[];
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

/** Runs the files and gives their outcome; throws when vitest itself failed. */
export async function runAtLevel(run: LevelRun): Promise<LevelOutcome> {
  const folder = mkdtempSync(path.join(tmpdir(), "level-"));
  if (run.asUser) chownSync(folder, ordinaryUserId, ordinaryUserId);
  try {
    const report = path.join(folder, "report.json");
    const said = await runVitest(run, folder, report);
    return readOutcome(report, said);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resolves with its output, whatever it ends with: the report says what failed. */
async function runVitest(
  { level, backend, asUser, files, titles }: LevelRun,
  folder: string,
  report: string,
): Promise<string> {
  const words = [
    ...(asUser ? asOrdinaryUser : []),
    process.execPath,
    path.join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    // The others would write beside the configuration, which may be another user's.
    "--configLoader=runner",
    "--reporter=json",
    `--outputFile=${report}`,
    ...(titles === undefined ? [] : [`--testNamePattern=${titles.source}`]),
    ...files.map((file) => path.join("packages/terminal/src", file)),
  ];
  const [program = "", ...args] = words;
  const child = spawn(program, args, {
    cwd: root,
    // Nothing of the vitest that this one is started by.
    env: {
      PATH: process.env["PATH"],
      HOME: asUser ? folder : process.env["HOME"],
      LANG: process.env["LANG"],
      TMPDIR: folder,
      HOLDFAST_TEST_LEVEL: level,
      HOLDFAST_SANDBOX_BACKENDS: backend,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-4000)));
  }
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve());
  });
  return said;
}

function readOutcome(file: string, said: string): LevelOutcome {
  let report: VitestReport;
  try {
    report = JSON.parse(readFileSync(file, "utf8")) as VitestReport;
  } catch (error) {
    throw new Error(`vitest wrote no report: ${said}`, { cause: error });
  }
  const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults
      .filter((test) => test.status === "failed")
      .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages?.join("; ") ?? ""}`);
    // A file whose set-up or clean-up fails has no failing test.
    return failed.length === 0 && status === "failed" ? [`${name}: ${message}`] : failed;
  });
  return { passed: report.numPassedTests, failures };
}
