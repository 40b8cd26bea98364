// A newcomer's first ten minutes with the packed program.
import { readdirSync, readFileSync } from "node:fs";
import { TerminalEngine, type Terminal } from "@holdfast/terminal";
import { expect } from "vitest";
import type { Installation, Ready } from "./installation.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;

/** How long things took. */
export interface WalkTimes {
  readonly npxToListeningMs: number;
  readonly allMs: number;
}

/** Starts a host by npx, looks at the page, runs an agent and commands, attaches, exports, stops. */
export async function expectNewcomerServed(installed: Installation): Promise<WalkTimes> {
  const startedMs = performance.now();
  const { ready, durationMs } = await installed.startByNpx();
  expect(ready.event).toBe("ready");
  await lookAtPage(ready);
  await runAgent(installed);
  await runCommands(installed);
  await attach(installed);
  const stopped = await installed.run(["stop", "--all", "--json"]);
  expect(stopped).toMatchObject({ exitCode: 0, stderr: "" });
  await installed.hostEnd();
  expect(processesWith(installed.home)).toEqual([]);
  return { npxToListeningMs: durationMs, allMs: performance.now() - startedMs };
}

async function lookAtPage({ url, token }: Ready): Promise<void> {
  const entered = await fetch(`${url}/?tkn=${token}`, { redirect: "manual" });
  const [cookie = ""] = (entered.headers.get("set-cookie") ?? "").split(";", 1);
  const page = await fetch(url, { headers: { cookie } });
  expect(page.status).toBe(200);
  const [, script] = /src="([^"]+\.js)"/.exec(await page.text()) ?? [];
  const answer = await fetch(new URL(script ?? "missing", url));
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain("javascript");
}

async function runAgent(installed: Installation): Promise<void> {
  // The host was started by npx, which takes more CPU time than the command; the long form takes it for both.
  const words = ["run", "shell", "echo hi from the agent", "--policy", "approve-all"];
  const answer = await (isLong ? installed.npx(words) : installed.run(words));
  expect(answer).toMatchObject({ exitCode: 0 });
  expect(answer.stdout).toContain("hi from the agent");
  const listed = await installed.run(["ls", "--json"]);
  const [session] = JSON.parse(listed.stdout) as { session_key: string }[];
  const exported = await installed.run(["export", session?.session_key ?? "", "--format", "markdown"]);
  expect(exported).toMatchObject({ exitCode: 0 });
  expect(exported.stdout).toContain("hi from the agent");
}

async function runCommands(installed: Installation): Promise<void> {
  const command = "echo to stdout; echo to stderr >&2; exit 3";
  const text = await installed.run(["exec", "--", "sh", "-c", command]);
  expect(text).toMatchObject({ exitCode: 3, stdout: "to stdout\n", stderr: "to stderr\n" });
}

/** A terminal in the host, shown in a terminal of ours: both kinds of native code, and the helper, are at work. */
async function attach(installed: Installation): Promise<void> {
  const started = await installed.run(["exec", "--detach", "--tty", "--", "sh"]);
  expect(started.exitCode).toBe(0);
  const engine = new TerminalEngine({ environment: installed.environment, cwd: installed.folder });
  try {
    const window = await engine.open({
      command: installed.program,
      args: ["attach", started.stdout.trim()],
      kind: "tty",
      audience: "person",
    });
    await shown(window, /[#$] $/);
    window.write("echo $((6 * 7))-is-it; exit 5\r");
    const { exitCode } = await window.exited;
    expect(window.output.tail().output).toContain("42-is-it");
    expect(exitCode).toBe(5);
  } finally {
    await engine.close();
  }
}

/** Waits until what was written so far ends as a person waits for it; says what was there when it ends first. */
async function shown(window: Terminal, expected: RegExp): Promise<void> {
  let text = "";
  for await (const { bytes } of window.subscribe({ from: "start" }, () => undefined)) {
    text += Buffer.from(bytes).toString("utf8");
    if (expected.test(text)) return;
  }
  throw new Error(`it ended with ${JSON.stringify(text)}`);
}

/** The ids of processes that have `home` in their environment; only where there is a /proc. */
function processesWith(home: string): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`HOME=${home}\0`);
      } catch {
        // It ended while we looked, or is somebody else's.
        return false;
      }
    })
    .map(Number);
}
