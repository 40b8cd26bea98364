// Which host a command speaks to, and what happens where none runs.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Console, type Streams } from "../console.ts";
import { writeHostFile } from "../serve/host-file.ts";
import { acquireLock, type HomeLock } from "../serve/lock.ts";
import { identifyProcess, isRunning } from "../serve/process-identity.ts";
import { runWords } from "../testing/command-run.ts";
import { testProgramFile } from "../testing/program-file.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";
import { findHost, type HostSearch, isOwnHost, reviveHost } from "./find-host.ts";

const { stdin, stdout, stderr } = process;

function search(home: string, more: Partial<HostSearch> = {}): HostSearch {
  const environment = {};
  const console = new Console({ streams: { stdin, stdout, stderr }, environment, json: true });
  return { choice: { home }, environment, console, mayStart: false, programPath: "", ...more };
}

async function startHost(): Promise<{ home: string; url: string; token: string }> {
  const home = temporaryFolder();
  const run = new ProgramRun(["--port", "0", "--home", home, "--json"]);
  onTestFinished(async () => void (await run.stop("SIGKILL")));
  return { home, ...(await run.ready()) };
}

/** A home whose host holds the lock and has not written its address yet. */
async function startingHome(): Promise<{ home: string; lock: HomeLock }> {
  const home = temporaryFolder();
  const attempt = await acquireLock(home);
  if (attempt.kind === "taken") throw new Error(`taken by ${attempt.holder.pid}`);
  const { lock } = attempt;
  onTestFinished(() => lock.release());
  return { home, lock };
}

describe("[C15] the host of a command", () => {
  it("[C15] is that of its home, with its token; another token, or another address, may be named", async () => {
    const { home, url, token } = await startHost();
    await expect(findHost(search(home))).resolves.toEqual({ url, token });
    const withToken = { HOLDFAST_TOKEN: "another-token-altogether" };
    await expect(findHost(search(home, { environment: withToken }))).resolves.toEqual({
      url,
      token: "another-token-altogether",
    });
    const elsewhere = { ...withToken, HOLDFAST_URL: "https://far.example/holdfast/" };
    await expect(findHost(search(home, { environment: elsewhere }))).resolves.toEqual({
      url: "https://far.example/holdfast",
      token: "another-token-altogether",
    });
    await expect(findHost(search(home, { choice: { home, url } }))).resolves.toEqual({ url, token });
  });

  it("[C15] elsewhere gets no token of this machine's", async () => {
    const { home } = await startHost();
    const choice = { home, url: "http://far.example" };
    await expect(findHost(search(home, { choice }))).rejects.toMatchObject({
      code: "TOKEN_MISSING",
      exitCode: 5,
    });
    await expect(findHost(search(home, { choice: { home, url: "ftp://x" } }))).rejects.toMatchObject({
      code: "WRONG_ARGUMENTS",
      exitCode: 2,
    });
  });

  it("[C15] is not started where that is not wanted", async () => {
    const home = path.join(temporaryFolder(), "home");
    await expect(findHost(search(home))).rejects.toMatchObject({ code: "HOST_NOT_RUNNING", exitCode: 4 });
  });

  it("[C875] has a home that is a folder; anything else is an error of the setup", async () => {
    const file = path.join(temporaryFolder(), "file");
    writeFileSync(file, "");
    for (const mayStart of [false, true]) {
      await expect(findHost(search(file, { mayStart }))).rejects.toMatchObject({
        message: `The home ${file} is not a folder. Choose a folder that you own with --home.`,
        exitCode: 2,
      });
      const below = path.join(file, "home");
      await expect(findHost(search(below, { mayStart }))).rejects.toMatchObject({
        message: `The home ${below} cannot be used (ENOTDIR). Choose a folder that you own with --home.`,
        exitCode: 2,
      });
    }
  });

  it.each(["ls", "ps", "terminals", "approvals", "logs x", "search x", "audit head", "keys ls", "export x"])(
    "[C876] is not started by `%s` in a named home that does not exist",
    async (words) => {
      const home = path.join(temporaryFolder(), "misspelt");
      const { code, stderr: said } = await runWords([...words.split(" "), "--home", home]);
      expect({ words, code, stderr: said.includes(`The home ${home} does not exist.`) }).toEqual({
        words,
        code: 2,
        stderr: true,
      });
      expect(said).toContain(`holdfast serve --home ${home}`);
      expect(existsSync(home)).toBe(false);
    },
  );

  it("[C15] is started where none runs, keeps running, and is found by the next", async () => {
    const home = temporaryFolder();
    writeFileSync(path.join(home, "config.jsonc"), `{ "listen": { "port": 0 } }`);
    const run = new ProgramRun(["--home", home], { program: "find-host-program" });
    expect(await run.end()).toEqual({ code: 0, signal: null });
    const { url } = JSON.parse(run.stdout) as { url: string };
    const { pid } = JSON.parse(readFileSync(path.join(home, "host.json"), "utf8")) as { pid: number };
    onTestFinished(() => void process.kill(pid, "SIGKILL"));
    expect(isRunning(identifyProcess(pid) ?? { pid: 0, birth: "" })).toBe(true);
    expect((await findHost(search(home))).url).toBe(url);
    expect(await (await fetch(url)).text()).toBe(String(pid));
  });

  it("[C886] elsewhere does not depend on a home whose host starts, or that is unusable", async () => {
    const { home } = await startingHome();
    const file = path.join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const url = "https://far.example";
    const environment = { HOLDFAST_URL: url, HOLDFAST_TOKEN: "a-token-of-far.example" };
    const startedMs = performance.now();
    for (const each of [home, file]) {
      await expect(findHost(search(each, { environment }))).resolves.toEqual({
        url,
        token: "a-token-of-far.example",
      });
      await expect(findHost(search(each, { choice: { home: each, url } }))).rejects.toMatchObject({
        code: "TOKEN_MISSING",
      });
    }
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });

  it("[C14] that starts or stops is waited for with a line that says so", async () => {
    const { home, lock } = await startingHome();
    let written = "";
    const write = (text: string): boolean => {
      written += text;
      return true;
    };
    const streams = { stdin, stdout, stderr: { isTTY: true, write } } as object as Streams;
    const own = search(home, { console: new Console({ streams, environment: {}, json: false }) });
    const found = findHost({ ...own, environment: { HOLDFAST_TOKEN: "another-token-altogether" } });
    await expect
      .poll(() => written, { timeout: 5_000 })
      .toContain("Waiting for the host to start or stop (1 s)");
    writeHostFile(home, lock.holder, "http://127.0.0.1:4747");
    expect((await found).url).toBe("http://127.0.0.1:4747");
    expect(written.endsWith("\r\u001B[K")).toBe(true);
  });

  it("[C881] gets the token of the environment also where the command starts it", async () => {
    const home = temporaryFolder();
    writeFileSync(path.join(home, "config.jsonc"), `{ "listen": { "port": 0 } }`);
    const place = await findHost(
      search(home, {
        mayStart: true,
        environment: { HOLDFAST_TOKEN: "another-token-altogether" },
        programPath: testProgramFile("serve-program"),
      }),
    );
    const { pid } = JSON.parse(readFileSync(path.join(home, "host.json"), "utf8")) as { pid: number };
    onTestFinished(() => void process.kill(pid, "SIGKILL"));
    expect(place.token).toBe("another-token-altogether");
  });

  it("[C863] is not started again where it was stopped, or is named by its address", async () => {
    const home = temporaryFolder();
    const own = search(home, { mayStart: true });
    await expect(reviveHost(own)).resolves.toBeUndefined();
    expect(isOwnHost(own)).toBe(true);
    expect(isOwnHost(search(home))).toBe(false);
    expect(isOwnHost({ ...own, choice: { home, url: "http://far.example" } })).toBe(false);
    expect(isOwnHost({ ...own, environment: { HOLDFAST_URL: "http://far.example" } })).toBe(false);
  });

  it("[C226] takes a free port where another program has the default one, but not in place of a chosen one", async () => {
    const home = temporaryFolder();
    const other = createServer();
    onTestFinished(() => void other.close());
    // Where it is taken already, that is as good.
    await new Promise((resolve) => {
      other.once("error", resolve).listen(4747, "127.0.0.1", () => resolve(undefined));
    });
    const run = new ProgramRun(["--home", home], { program: "find-host-program" });
    expect(await run.end()).toEqual({ code: 0, signal: null });
    const { url } = JSON.parse(run.stdout) as { url: string };
    const { pid } = JSON.parse(readFileSync(path.join(home, "host.json"), "utf8")) as { pid: number };
    onTestFinished(() => void process.kill(pid, "SIGKILL"));
    expect(new URL(url).port).not.toBe("4747");
    expect(await (await fetch(url)).text()).toBe(String(pid));
    const strict = temporaryFolder();
    writeFileSync(path.join(strict, "config.jsonc"), `{ "listen": { "port": ${new URL(url).port} } }`);
    const refused = new ProgramRun(["--home", strict], { program: "find-host-program" });
    expect(await refused.end()).toEqual({ code: 3, signal: null });
    expect(refused.stderr).toContain(`Port ${new URL(url).port} is taken`);
  }, 60_000);

  it("[C833] that replaces a crashed one has its address, unless another program has the port by then", async () => {
    const home = temporaryFolder();
    const crashed = new ProgramRun(["--port", "0", "--home", home, "--json"]);
    const { url } = await crashed.ready();
    await crashed.stop("SIGKILL");
    const replace = async (): Promise<string> => {
      const run = new ProgramRun(["--home", home], { program: "find-host-program" });
      expect(await run.end()).toEqual({ code: 0, signal: null });
      const { pid } = JSON.parse(readFileSync(path.join(home, "host.json"), "utf8")) as { pid: number };
      onTestFinished(() => {
        if (isRunning(identifyProcess(pid) ?? { pid: 0, birth: "" })) process.kill(pid, "SIGKILL");
      });
      return (JSON.parse(run.stdout) as { url: string }).url;
    };
    expect(await replace()).toBe(url);
    const second = JSON.parse(readFileSync(path.join(home, "host.json"), "utf8")) as { pid: number };
    const host = identifyProcess(second.pid) ?? { pid: 0, birth: "" };
    process.kill(second.pid, "SIGKILL");
    // Its port is closed a little earlier, and until the process is gone the host counts as running.
    await expect.poll(() => isRunning(host)).toBe(false);
    const other = createServer();
    onTestFinished(() => void other.close());
    await new Promise((resolve) => {
      other.listen(Number(new URL(url).port), "127.0.0.1", () => resolve(undefined));
    });
    expect(await replace()).not.toBe(url);
  }, 60_000);

  it("[C15] that does not start is explained by its last words", async () => {
    const home = temporaryFolder();
    writeFileSync(path.join(home, "config.jsonc"), `{ "listen": { "port": -1 } }`);
    const run = new ProgramRun(["--home", home], { program: "find-host-program" });
    expect(await run.end()).toEqual({ code: 2, signal: null });
    expect(run.stderr).toContain("listen.port must be at least 0");
    expect(run.stderr).toContain("host.log");
    expect(run.stderr).toContain("HOST_DID_NOT_START");
  });
});
