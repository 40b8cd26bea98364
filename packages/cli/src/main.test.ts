// The whole program: a host that answers, ends in order, and leaves no process when it is killed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { json, text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteStorage } from "@holdfast/storage-sqlite";
import { programFile } from "./testing/program-file.ts";
import { ProgramRun } from "./testing/program-run.ts";
import { temporaryFolder } from "./testing/temporary-home.ts";

interface Served {
  readonly run: ProgramRun;
  readonly home: string;
  call(method: string, route: string, body?: object): Promise<Record<string, unknown>>;
}

async function startHolding(words: readonly string[] = [], home = temporaryFolder()): Promise<Served> {
  const run = new ProgramRun(["--port", "0", "--home", home, "--json", ...words], { program: "main" });
  onTestFinished(async () => void (await run.stop("SIGKILL")));
  const { url, token } = await run.ready();
  return {
    run,
    home,
    async call(method, route, body) {
      const response = await fetch(`${url}${route}`, {
        method,
        headers: { "x-api-key": token, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Record<string, unknown>;
    },
  };
}

async function createShellSession({ call, home }: Served): Promise<string> {
  const { session } = await call("POST", "/sdk/acp/session", {
    agent_id: "shell",
    cwd: home,
    approvalPolicy: "approve-all",
  });
  return encodeURIComponent((session as { session_key: string }).session_key);
}

/** The pids of processes whose command line or environment names the home, the host itself left out. */
function processesOf(home: string, hostPid: number | undefined): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== hostPid && pid !== process.pid)
    .filter((pid) => {
      try {
        const words =
          readFileSync(`/proc/${pid}/cmdline`, "utf8") + readFileSync(`/proc/${pid}/environ`, "utf8");
        return words.includes(home);
      } catch {
        // It ended since it was listed.
        return false;
      }
    });
}

describe("[C13] holdfast", () => {
  it("[C13] [C10] serves the built-in agent, records what it did, and ends it in order", async () => {
    const served = await startHolding();
    const { call, home, run } = served;
    const { agents } = (await call("GET", "/sdk/acp/agents")) as {
      agents: { id: string; installed: boolean }[];
    };
    expect(agents).toContainEqual(expect.objectContaining({ id: "shell", installed: true }));
    const key = await createShellSession(served);
    const answer = await call("POST", `/sdk/acp/session/${key}/chat`, { message: "echo $((40 + 2))" });
    expect(JSON.stringify(answer)).toContain("42");
    expect(await run.stop()).toEqual({ code: 0, signal: null });
    const storage = await openSqliteStorage({ file: path.join(home, "holdfast.db") });
    expect(storage.audit.read().map(({ entry }) => entry.subject)).toContain("echo $((40 + 2))");
    storage.close();
    expect(readdirSync(home)).not.toContain("lock");
    expect(run.stdout.split("\n")).toHaveLength(2);
  });

  it.runIf(process.platform === "linux")("[C13] leaves no process behind when it is killed", async () => {
    const served = await startHolding();
    const key = await createShellSession(served);
    const { home, run, call } = served;
    const turn = call("POST", `/sdk/acp/session/${key}/chat`, { message: `sleep 61 # ${home}` }).catch(
      () => undefined,
    );
    await expect.poll(() => processesOf(home, run.child.pid).length, { timeout: 15_000 }).toBeGreaterThan(1);
    await run.stop("SIGKILL");
    await turn;
    await expect.poll(() => processesOf(home, run.child.pid), { timeout: 15_000 }).toEqual([]);
  });

  it("[A83] reports how a turn ended that its own end cut short, then or at the next start", async () => {
    // By its id: an attempt that was broken off may have arrived, and is made again.
    const notified = new Map<unknown, unknown>();
    const receiver = createServer((request, response) => {
      const id = request.headers["x-holdfast-delivery"];
      void json(request).then((body) => notified.set(id, body));
      response.writeHead(204).end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void receiver.close());
    await once(receiver, "listening");
    const { port } = receiver.address() as AddressInfo;
    const served = await startHolding();
    const { call, home, run } = served;
    await call("POST", "/sdk/webhooks", { url: `http://127.0.0.1:${port}/`, events: ["turn_done"] });
    const key = await createShellSession(served);
    const { url, token } = await run.ready();
    const abort = new AbortController();
    await fetch(`${url}/sdk/acp/session/${key}/chat/stream`, {
      method: "POST",
      headers: { "x-api-key": token },
      body: JSON.stringify({ message: `sleep 61 # ${home}` }),
      signal: abort.signal,
    });
    await expect
      .poll(async () => (await call("GET", "/sdk/acp/terminals"))["terminals"], { timeout: 15_000 })
      .toHaveLength(1);
    abort.abort();
    expect(await run.stop()).toEqual({ code: 0, signal: null });
    await startHolding([], home);
    await expect
      .poll(() => [...notified.values()], { timeout: 15_000 })
      .toMatchObject([{ event: "turn_done", state: "interrupted" }]);
  });

  it.skipIf(process.platform === "win32")(
    "[C225] refuses a database that is a link, whose target keeps its mode",
    async () => {
      const home = temporaryFolder();
      const target = path.join(temporaryFolder(), "theirs");
      writeFileSync(target, "theirs", { mode: 0o644 });
      symlinkSync(target, path.join(home, "holdfast.db"));
      const run = new ProgramRun(["--port", "0", "--home", home, "--json"], { program: "main" });
      expect(await run.end()).toEqual({ code: 2, signal: null });
      expect(run.stderr).toContain("holdfast.db is a symbolic link");
      expect(statSync(target).mode & 0o777).toBe(0o644);
    },
    60_000,
  );

  it.runIf(process.platform === "linux")(
    "[C227] says which limit on open files is too low, and what to do",
    async () => {
      const command = `ulimit -n 64; exec ${process.execPath} ${programFile} --port 0 --home ${temporaryFolder()} --json`;
      const child = spawn("sh", ["-c", command], { stdio: ["ignore", "ignore", "pipe"] });
      const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
      expect(code).toBe(2);
      expect(JSON.parse(stderr)).toMatchObject({
        error: {
          code: "TOO_FEW_OPEN_FILES",
          message: expect.stringContaining("only 64 files"),
          remedy: expect.stringContaining("ulimit -n 1024"),
        },
      });
    },
  );

  it("[C4] refuses an address that is not this machine's alone", async () => {
    const home = temporaryFolder();
    const run = new ProgramRun(["--home", home, "--json", "--host", "0.0.0.0"], { program: "main" });
    expect(await run.end()).toEqual({ code: 2, signal: null });
    expect(run.stderr).toContain("127.0.0.1");
  });

  it("[C4] says which port is taken, and what to do", async () => {
    const { url } = await (await startHolding()).run.ready();
    const { port } = new URL(url);
    const run = new ProgramRun(["--home", temporaryFolder(), "--port", port], { program: "main" });
    expect(await run.end()).toEqual({ code: 3, signal: null });
    expect(run.stderr).toMatch(new RegExp(`Port ${port} is taken.*--port 0`));
  });
});
