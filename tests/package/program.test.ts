// The packed program does what the program in the repository does, on every Node and npm that it promises.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { connectKeeper, endKeeper, keeperStatus } from "@holdfast/terminal/keeper";
import type { RunExit } from "@holdfast/terminal/port";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { packFolder } from "../../scripts/pack.mjs";
import { root } from "../repository/source-file.ts";
import { testedPackage } from "../setup/tested-program.ts";
import { Installation } from "./installation.ts";
import { expectNewcomerServed } from "./newcomer-walk.ts";
import { installRuntime, runCommand, runtimeAtHand } from "./runtime.ts";

interface Packed {
  readonly folder: string;
  readonly file: string;
  readonly unpackedBytes: number;
}

const isLong = process.env["HOLDFAST_LONG"] !== undefined;

/** Tried in the long form beside the ones at hand. npm 12 does not run on Node 20. */
const elsewhere = [
  { name: "Node at hand", node: undefined, npm: "11" },
  { name: "Node 22", node: "22.23.3", npm: "11" },
  { name: "Node 22", node: "22.23.3", npm: "12" },
  { name: "Node 24", node: "24.21.0", npm: "12" },
  { name: "Node 26", node: "26.10.0", npm: "12" },
];
const scratch = mkdtempSync(path.join(tmpdir(), "holdfast-package-"));
let packed: Packed;

beforeAll(async () => {
  // A release is tried by the very tarball that will be published.
  const made = process.env["HOLDFAST_PACKED"];
  if (made !== undefined) {
    packed = JSON.parse(made) as Packed;
    return;
  }
  if (!isLong) {
    // The tests' set-up has laid it out as `npm run pack` does.
    packed = packFolder(testedPackage, scratch);
    return;
  }
  const words = [path.join(root, "scripts", "pack.mjs"), "--into", scratch, "--json"];
  const outcome = await runCommand(process.execPath, words, { cwd: root, environment: process.env });
  if (outcome.exitCode !== 0) throw new Error(outcome.stderr);
  [packed] = JSON.parse(outcome.stdout) as [Packed];
}, 60_000);

// In the long form there are several Nodes in it.
afterAll(() => rm(scratch, { recursive: true, force: true }), 120_000);

/** Chunks that a file loads before it does anything, itself included. */
function loadedAtOnce(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, other = ""] of text.matchAll(/(?:import|export)[^"'()]*?["'](\.[^"']+)["']/g)) {
    loadedAtOnce(path.resolve(path.dirname(file), other), seen);
  }
  return seen;
}

function textOf(files: Iterable<string>): string {
  return [...files].map((file) => readFileSync(file, "utf8")).join("\n");
}

describe("the package", () => {
  it("[Y2] is small, runs no script at install, and depends on native packages in exact versions alone", () => {
    expect(packed.unpackedBytes).toBeLessThan(15_000_000);
    const manifest = JSON.parse(readFileSync(path.join(packed.folder, "package.json"), "utf8")) as object;
    expect(manifest).toMatchObject({ name: "holdfast", type: "module", license: "MIT" });
    expect(manifest).not.toHaveProperty("scripts");
    expect(manifest).toHaveProperty("dependencies", {
      "@lydell/node-pty": expect.stringMatching(/^\d[\d.]+$/),
    });
    expect(manifest).toHaveProperty("optionalDependencies", { libsql: expect.stringMatching(/^\d[\d.]+$/) });
  });

  it.skipIf(process.platform === "win32")(
    "[K720] has the keeper, which runs commands with its helper",
    async () => {
      const home = path.join(scratch, "keeper-home");
      mkdirSync(home, { mode: 0o700 });
      const program = path.join(packed.folder, "terminal", "dist", "keeper", "main.js");
      const keeper = spawn(process.execPath, [program, home], { stdio: "ignore" });
      onTestFinished(() => endKeeper(home, 200).then(() => {}));
      await expect.poll(() => keeperStatus(home)).toMatchObject({ pid: keeper.pid });
      const port = await connectKeeper({ home, environment: {} });
      let output = "";
      const exit = await new Promise<RunExit>((resolve) => {
        const request = { kind: "text", command: "echo from the package", cwd: "/", env: {} } as const;
        const bytes = (_stream: string, read: Uint8Array): void =>
          void (output += Buffer.from(read).toString());
        // A start that fails is a test that fails.
        void port.start(request, { bytes, exit: resolve, end: () => {} });
      });
      expect([output, exit.exitCode, port.keeper?.pid]).toEqual(["from the package\n", 0, keeper.pid]);
      await port.close();
    },
  );

  it("[Y2] names the licence of each package that is in it", () => {
    const notices = readFileSync(path.join(packed.folder, "THIRD-PARTY"), "utf8");
    for (const name of ["hono", "zod", "ws", "commander", "react", "@xterm/xterm", "@xterm/headless"]) {
      expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(MIT\\)\\n\\n[^]{200}`, "m"));
    }
    expect(notices).not.toMatch(/^(?:vite|typescript|@types\/\S+) /m);
  });

  it("[Y5] help and light commands load nothing of the host, the helper and the agent nothing of the program", () => {
    const program = path.join(packed.folder, "cli", "dist", "main.js");
    const chunk = readdirSync(path.join(packed.folder, "chunks"))
      .map((name) => path.join(packed.folder, "chunks", name))
      .find((file) => /\bfunction runProgram\b/.test(readFileSync(file, "utf8")));
    const light = textOf([...loadedAtOnce(program), ...loadedAtOnce(chunk ?? "")]);
    const marks = ["AhpServer=class", "HostSession=class", "Spawner=class", "SqliteStorage=class"];
    // Booleans and names: a chunk in a failure's message would fill the screen.
    expect(marks.filter((mark) => textOf(everyChunk()).includes(mark))).toEqual(marks);
    expect(marks.filter((mark) => light.includes(mark))).toEqual([]);
    for (const own of ["agent-shell/dist/main.js", "terminal/dist/process/helper/main.js"]) {
      const text = textOf(loadedAtOnce(path.join(packed.folder, own)));
      expect(text.length).toBeLessThan(150_000);
      expect(text.includes("function runProgram")).toBe(false);
    }
  });

  it("[Y1, Y4] starts with npx in an empty folder and home, and serves a newcomer", async () => {
    const npmCache = await npmCacheAtHand();
    const installed = new Installation(runtimeAtHand(), { npmCache });
    onTestFinished(() => installed.close());
    await installed.install(packed.file);
    await expectNewcomerServed(installed);
  }, 120_000);

  it.each(isLong ? elsewhere : [])(
    "[Y1, Y4] on $name with npm $npm",
    async ({ node, npm }) => {
      const runtime = await installRuntime(path.join(scratch, `node-${node}-npm-${npm}`), { node, npm });
      const installed = new Installation(runtime);
      onTestFinished(() => installed.close());
      const install = await installed.install(packed.file);
      const walk = await expectNewcomerServed(installed);
      const startsMs = await measureStarts(installed, 7);
      console.log(
        `${runtime.name}: install ${seconds(install.durationMs)}, npx to listening ${seconds(walk.npxToListeningMs)}, ` +
          `walk ${seconds(walk.allMs)}, start to listening median ${Math.round(startsMs[3] ?? 0)} ms ` +
          `(${startsMs.map(Math.round).join(", ")})`,
      );
    },
    240_000,
  );

  function everyChunk(): string[] {
    const folder = path.join(packed.folder, "chunks");
    return readdirSync(folder).map((name) => path.join(folder, name));
  }
});

/** From the start of a process to its ready line, sorted. */
async function measureStarts(installed: Installation, count: number): Promise<number[]> {
  const durationsMs: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const { durationMs } = await installed.startDirectly();
    durationsMs.push(durationMs);
    await installed.run(["stop"]);
    await installed.hostEnd();
  }
  return durationsMs.toSorted((one, other) => one - other);
}

/** Where npm keeps what it has fetched before: the tests of every day need no network. */
async function npmCacheAtHand(): Promise<string> {
  const words = [runtimeAtHand().npmProgram, "config", "get", "cache"];
  const { stdout } = await runCommand(process.execPath, words, { cwd: root, environment: process.env });
  return stdout.trim();
}

function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}
