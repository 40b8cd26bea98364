// `holdfast exec`, `terminals` and `logs` against a real host: codes, names, lists, and what is kept.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Holdfast, type TerminalStatus } from "@holdfast/sdk";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { type CommandRun, runWords } from "../testing/command-run.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";

/** A host of tests, and commands to it. */
class HostOfTest {
  readonly folder: string;
  readonly #home: string;
  #run: ProgramRun | undefined;
  #api: Holdfast | undefined;

  constructor(folder: string) {
    this.folder = folder;
    this.#home = path.join(folder, "home");
    mkdirSync(this.#home, { mode: 0o700 });
    writeFileSync(path.join(this.#home, "config.jsonc"), '{"listen":{"port":0}}', { mode: 0o600 });
  }

  /** For a test that lists all terminals or stops its host. */
  static async startAlone(): Promise<HostOfTest> {
    const host = new HostOfTest(temporaryFolder());
    onTestFinished(() => host.stop());
    return host.start();
  }

  get api(): Holdfast {
    return this.#api ?? expect.fail("it runs not yet");
  }

  async start(): Promise<this> {
    this.#run = new ProgramRun(["serve", "--json", "--home", this.#home], { program: "main" });
    const { url, token } = await this.#run.ready();
    this.#api = new Holdfast({ baseUrl: url, apiKey: token });
    return this;
  }

  async stop(): Promise<void> {
    await this.#run?.stop();
  }

  run(command: string, ...words: string[]): Promise<CommandRun> {
    return runWords([command, "--home", this.#home, ...words]);
  }

  /** The terminals that a shell offers after a command. */
  async offered(command: string): Promise<string[]> {
    const { stdout } = await runWords(["__complete", "terminal", "--", command, "--home", this.#home]);
    return stdout.split("\n").filter((line) => line !== "");
  }

  /** Runs a command whose stdin is nobody's. */
  exec(...words: string[]): Promise<CommandRun> {
    return this.run("exec", "--no-input", ...words);
  }

  async ended(id: string): Promise<void> {
    await vi.waitFor(async () => {
      expect((await this.api.terminals.output(id)).lifecycle.status).toBe("exited");
    }, waiting);
  }
}

const waiting = { timeout: 20_000 };

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-exec-"));
const host = new HostOfTest(folder);

beforeAll(async () => {
  await host.start();
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

it("[C382] options after the command are the command's", async () => {
  expect(await host.exec("sh", "-c", "exit 3")).toMatchObject({ code: 3 });
  const { code, stdout } = await host.exec("echo", "-n", "--help", "-x");
  expect({ code, stdout }).toEqual({ code: 0, stdout: "--help -x" });
});

it("[C35, C59] a name that is used again means what runs under it, and only that is offered", async () => {
  const alone = await HostOfTest.startAlone();
  const start = async (...words: string[]): Promise<string> =>
    (await alone.run("exec", "--detach", "--name", "build", ...words)).stdout.trim();
  await alone.ended(await start("echo", "first"));
  const running = await start("sh", "-c", "echo second; exec sleep 1000");
  await vi.waitFor(async () => {
    expect((await alone.run("logs", "build")).stdout).toBe("second\n");
  }, waiting);
  expect(await alone.offered("attach")).toEqual([`${running.slice(0, 8)}\tbuild`]);
  expect(await alone.offered("logs")).toHaveLength(2);
});

it("[C502] stdout and stderr of a command on pipes stay apart, and --json names the stream", async () => {
  const command = ["--", "sh", "-c", "printf out; printf err >&2; exit 3"];
  expect(await host.exec(...command)).toEqual({ code: 3, stdout: "out", stderr: "err" });
  const { stdout } = await host.exec("--json", ...command);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { data: object });
  const bytes = (text: string): string => Buffer.from(text).toString("base64");
  expect(events.map(({ data }) => data)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ bytes: bytes("out") }),
      expect.objectContaining({ bytes: bytes("err"), stream: "error" }),
    ]),
  );
});

it("[C36] the exit code is the command's, or says why there was no command", async () => {
  const forbidden = path.join(host.folder, "not-executable");
  writeFileSync(forbidden, "no program", { mode: 0o600 });
  const script = 'echo "$GREETING from $PWD"; echo err >&2; exit 7';
  expect(await host.exec("-e", "GREETING=hi you", "--cwd", "/", "--", "sh", "-c", script)).toEqual({
    code: 7,
    stdout: "hi you from /\n",
    stderr: "err\n",
  });
  expect(await host.exec("--", "sh", "-c", "kill -9 $$")).toMatchObject({ code: 137, stderr: "" });
  const missing = await host.exec("--", "no-such-program");
  expect(missing).toMatchObject({ code: 127, stdout: "" });
  expect(missing.stderr).toContain("COMMAND_NOT_FOUND");
  expect(await host.exec("--", forbidden)).toMatchObject({ code: 126 });
  expect(await host.exec("--cwd", "/no/such/folder", "--", "ls")).toMatchObject({ code: 125 });
  expect(await host.exec("-e", "NO_VALUE", "--", "ls")).toMatchObject({ code: 2 });
  const { stdout } = await host.exec("--json", "--", "printf", "x");
  const lines = stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { type: "started", data: { title: "printf x" } },
    { type: "output", data: { offset: 0, bytes: "eA==" } },
    { type: "exited", data: { exit: { kind: "code", exitCode: 0 } } },
    { type: "close" },
  ]);
}, 60_000);

it("[C868] a program that only the caller's PATH has is named with its folder, and runs with that PATH", async () => {
  const bin = path.join(host.folder, "own-bin");
  mkdirSync(bin);
  writeFileSync(path.join(bin, "own-tool"), "#!/bin/sh\necho own\n", { mode: 0o755 });
  const searched = `${bin}:${process.env["PATH"]}`;
  const { code, stderr } = await host.exec("--json", "own-tool");
  expect({ code, stderr }).toMatchObject({ code: 127, stderr: expect.not.stringContaining(bin) as string });
  vi.stubEnv("PATH", searched);
  onTestFinished(() => void vi.unstubAllEnvs());
  const failed = await host.exec("own-tool");
  expect(failed.code).toBe(127);
  expect(JSON.parse(failed.stderr)).toMatchObject({
    error: {
      code: "COMMAND_NOT_FOUND",
      message: `The host's PATH has no own-tool; the PATH of this shell has it in ${bin}.`,
      remedy: `Use ${bin}/own-tool, or pass this PATH on: holdfast exec --env PATH="$PATH" own-tool`,
    },
  });
  expect(await host.exec("--env", `PATH=${searched}`, "own-tool")).toMatchObject({
    code: 0,
    stdout: "own\n",
  });
  expect(await host.exec(`${bin}/own-tool`)).toMatchObject({ code: 0, stdout: "own\n" });
}, 60_000);

it("[C847] run and exec report a missing folder with the same sentence", async () => {
  const missing = path.join(host.folder, "missing");
  const failures = await Promise.all([
    host.run("exec", "--cwd", missing, "--json", "--", "ls"),
    host.run("run", "--cwd", missing, "--json", "shell", "ls"),
  ]);
  const sentences = failures.map(({ stderr }) => (JSON.parse(stderr) as { error: Error }).error.message);
  expect(new Set(sentences)).toEqual(new Set([`There is no folder ${missing}. Create it, or name another.`]));
});

it("[C44] [C47] what is left running is listed, harmlessly whatever it is called, and is found by its name", async () => {
  const alone = await HostOfTest.startAlone();
  const evil = "\u001B]0;gone\u0007bad\u001B[2Jtitle";
  const id = (
    await alone.exec("--detach", "--name", evil, "--", "sh", "-c", "seq 1 5; sleep 60")
  ).stdout.trim();
  await vi.waitFor(async () => expect((await alone.api.terminals.output(id)).text).toContain("5"), waiting);
  const { stdout: list } = await alone.run("terminals");
  expect(list).not.toContain("\u001B");
  expect(list).toMatch(new RegExp(`^${id.slice(0, 8)} +text +running +nobody +- +\\d+s +.*gone`, "m"));
  const listed = JSON.parse((await alone.run("terminals", "--json")).stdout) as TerminalStatus[];
  expect(listed).toMatchObject([{ id, title: evil, lifecycle: { status: "running" } }]);
  expect(await alone.run("logs", "--tail", "2", id.slice(0, 12))).toMatchObject({
    code: 0,
    stdout: "4\n5\n",
  });
  expect(await alone.run("logs", evil)).toMatchObject({ stdout: "1\n2\n3\n4\n5\n" });
  const following = alone.run("logs", "--follow", "--tail", "1", id);
  await alone.api.terminals.kill(id);
  expect(await following).toMatchObject({ code: 0, stdout: "5\n" });
  expect((await alone.run("terminals")).stdout).toContain("ended by SIGTERM");
  // There is no window to attach here.
  expect(await alone.run("attach", id)).toMatchObject({ code: 2 });
  expect(await alone.run("logs", "nothing-like-it")).toMatchObject({ code: 6 });
}, 60_000);

it("[C845] the terminal of an agent keeps its session in the list when a person takes it over", async () => {
  const { session_key: key } = await host.api.acpAgent.createSession({
    agent_id: "shell",
    cwd: host.folder,
    approvalPolicy: "approve-all",
  });
  const turn = host.api.acpAgent.chat(key, "sleep 1000");
  const [{ id } = { id: "" }] = await vi.waitFor(async () => {
    const terminals = await host.api.terminals.list({ sessionKey: key });
    expect(terminals).toHaveLength(1);
    return terminals;
  }, waiting);
  expect(await host.api.terminals.claim(id)).toMatchObject({ session_key: null, made_by: key });
  const name = key.split(":").at(-1)?.slice(0, 8) ?? "";
  expect((await host.run("terminals")).stdout).toMatch(
    new RegExp(`^${id.slice(0, 8)} +tty +running +a person +${name} `, "m"),
  );
  await host.api.terminals.kill(id);
  await turn;
}, 60_000);

it("[C48] of a full-screen program, logs says how to see its screen", async () => {
  const draw = String.raw`printf '\033[?1049h\033[2J\033[3;3Hdrawn'; exec sleep 1000`;
  const started = await host.run("exec", "--detach", "--tty", "--name", "full", "sh", "-c", draw);
  await vi.waitFor(async () => {
    expect((await host.run("logs", "--raw", "full")).stdout).toContain("drawn");
  }, waiting);
  const { stdout, stderr } = await host.run("logs", "full");
  expect(stdout.trim()).toBe("");
  expect(stderr).toContain(`holdfast attach ${started.stdout.slice(0, 8)}`);
});

it("[C865] logs prints the text around a full screen, also of a command on pipes and while it follows", async () => {
  const draw = String.raw`echo before; printf '\033[?1049h\033[2J\033[3;3Hdrawn\r\n\033[?1049l'; echo after`;
  for (const kind of ["--tty", "--no-tty"]) {
    const started = await host.run("exec", "--detach", kind, "sh", "-c", draw);
    const id = started.stdout.trim();
    await vi.waitFor(async () => {
      expect((await host.run("logs", "--raw", id)).stdout).toContain("after");
    }, waiting);
    expect(await host.run("logs", id)).toMatchObject({ stdout: "before\nafter\n" });
    expect(await host.run("logs", "--follow", id)).toMatchObject({ stdout: "before\nafter\n" });
  }
  const script = String.raw`printf 'before\n\033[?1049hdrawn\n'; read x; printf 'more\n\033[?1049lafter\n'`;
  const id = (await host.run("exec", "--detach", "--tty", "sh", "-c", script)).stdout.trim();
  await vi.waitFor(async () => {
    expect((await host.run("logs", "--raw", id)).stdout).toContain("drawn");
  }, waiting);
  const following = host.run("logs", "--follow", id);
  await host.api.terminals.input(id, "\r");
  expect(await following).toMatchObject({ stdout: "before\nafter\n" });
}, 60_000);

it("[C320] what a command left running is counted in the list, and kill ends it", async () => {
  const script = "trap '' HUP; setsid sleep 60 > /dev/null 2>&1 < /dev/null & exit 4";
  const id = (await host.exec("--detach", "--name", "leaver", "--", "sh", "-c", script)).stdout.trim();
  await vi.waitFor(async () => {
    expect((await host.run("terminals")).stdout).toContain("exited 4, 1 left");
  }, waiting);
  expect(await host.run("kill", id.slice(0, 8))).toMatchObject({ code: 0 });
  const { stdout } = await host.run("terminals");
  expect(stdout).toContain("exited 4 ");
  expect(stdout).not.toContain("left");
  expect(await host.run("kill", "nothing-like-it")).toMatchObject({ code: 6 });
}, 60_000);

it("[C48] [C35] the output of a terminal is printed as text, as bytes and by its last lines, also by the next host", async () => {
  const alone = await HostOfTest.startAlone();
  const colours = "printf '\\033[31mred\\033[0m\\n10%%\\r100%%\\n'";
  const id = (
    await alone.exec("--detach", "--tty", "--name", "done", "--", "sh", "-c", colours)
  ).stdout.trim();
  await alone.ended(id);
  const raw = "\u001B[31mred\u001B[0m\r\n10%\r100%\r\n";
  const expectAll = async (name: string): Promise<void> => {
    expect(await alone.run("logs", name)).toMatchObject({ stdout: "red\n100%\n" });
    expect(await alone.run("logs", "--raw", name)).toMatchObject({ stdout: raw });
    expect(await alone.run("logs", "--raw", "--tail", "1", name)).toMatchObject({ stdout: "10%\r100%\r\n" });
    expect(await alone.run("logs", "--follow", name)).toMatchObject({ stdout: "red\n100%\n" });
    const { stdout } = await alone.run("logs", "--json", name);
    expect(JSON.parse(stdout)).toMatchObject({ text: "red\n100%\n", lifecycle: { status: "exited" } });
  };
  await expectAll("done");
  await alone.stop();
  await alone.start();
  await expectAll(id);
  expect(await alone.run("logs", "done")).toMatchObject({ code: 6 });
}, 60_000);
