// Real shells in real PTYs: their reports on commands of every kind.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { makeSpawner } from "../testing/level.ts";
import { openShell, type ShellSession } from "../testing/shell-session.ts";
import type { IndexedCommand } from "../view/index.ts";

interface ShellUnderTest {
  readonly name: "bash" | "zsh" | "fish";
  readonly file: string;
  readonly multiLine: string;
  readonly multiLineText: string;
  readonly definition: string;
  /** Reads a line while a pipeline runs in the background, and says it. */
  readonly readBesidePipeline: string;
  /** How the command `exit` ends: fish reports it, the others are gone. */
  readonly exitState: IndexedCommand["state"];
}

const shells: readonly ShellUnderTest[] = [
  {
    name: "bash",
    file: "/bin/bash",
    multiLine: "for i in 1 2\rdo echo $i\rdone",
    multiLineText: "for i in 1 2; do echo $i; done",
    definition: "greet() { echo hello; }",
    readBesidePipeline: "sleep 9 | sleep 9 & echo asked; read -r line; kill %1; wait; echo got $line.",
    exitState: "cutOff",
  },
  {
    name: "zsh",
    file: "/bin/zsh",
    multiLine: "for i in 1 2\rdo echo $i\rdone",
    multiLineText: "for i in 1 2\ndo echo $i\ndone",
    definition: "greet() { echo hello; }",
    readBesidePipeline: "sleep 9 | sleep 9 & echo asked; read -r line; kill %1; wait; echo got $line.",
    exitState: "cutOff",
  },
  {
    name: "fish",
    file: "/usr/bin/fish",
    multiLine: "for i in 1 2\recho $i\rend",
    multiLineText: "for i in 1 2\necho $i\nend",
    definition: "function greet; echo hello; end",
    readBesidePipeline:
      "sleep 9 | sleep 9 & echo asked; head -n 1 | read line; kill %1; wait; echo got $line.",
    exitState: "finished",
  },
];

const spawner = makeSpawner();
const homes: string[] = [];
let session: ShellSession | undefined;

afterEach(async () => {
  await session?.close();
  session = undefined;
});

afterAll(async () => {
  await spawner.close();
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

async function open(file: string, args: readonly string[] = []): Promise<ShellSession> {
  const home = mkdtempSync(path.join(tmpdir(), "holdfast-home-"));
  homes.push(home);
  writeFileSync(path.join(home, ".zshrc"), "PS1='%~ %# '\n");
  const env = {
    HOME: home,
    PATH: process.env["PATH"] ?? "",
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    fish_greeting: "",
    fish_autosuggestion_enabled: "0",
  };
  session = await openShell(spawner, { shell: file, args, env });
  await session.prompts(1);
  return session;
}

/** Its visible output: fish sets its own terminal modes after it has reported the command. */
function visible(shell: ShellSession, command: IndexedCommand): string {
  return shell
    .outputOf(command)
    .replaceAll(/\x1b\]0;[^\x07]*\x07|\x1b\[[\d;?]*[a-zA-Z]|\x1b\(B|\r(?!\n)/g, "");
}

function codeOf(command: IndexedCommand): number | undefined {
  return command.state === "open" ? undefined : command.exitCode;
}

describe.each(shells)("$name", ({ name, file, ...texts }) => {
  const isAbsent = !existsSync(file);

  it(`[T89] ${name} reports lines, outputs and exit codes in order with the bytes`, async (context) => {
    context.skip(isAbsent, `${file} is not installed`);
    const shell = await open(file);
    const cases: readonly [line: string, output: string, exitCode: number][] = [
      ["true", "", 0],
      ["false", "", 1],
      ["sleep 0.001", "", 0],
      ["printf 'no newline'", "no newline", 0],
      ["echo one; echo two", "one\r\ntwo\r\n", 0],
      ["printf '%s ' 'ä 漢字 🎉;' \"it's\" '\\[x]'", "ä 漢字 🎉; it's \\[x] ", 0],
      ["sh -c 'exit 42'", "", 42],
      [texts.definition, "", 0],
      ["greet", "hello\r\n", 0],
    ];
    for (const [line, output, exitCode] of cases) {
      const command = await shell.runLine(line);
      expect(command).toMatchObject({ state: "finished", commandLine: line, exitCode, cwd: "/tmp" });
      expect(visible(shell, command)).toBe(output);
    }
    expect(shell.commands).toHaveLength(cases.length);
    expect(shell.raw()).toContain("\x1b]633;");
    expect(shell.text()).not.toContain("633;");
  });

  it(`[T89] ${name} reports a command over several lines once`, async (context) => {
    context.skip(isAbsent, `${file} is not installed`);
    const shell = await open(file);
    const command = await shell.runLine(texts.multiLine);
    expect(command).toMatchObject({ state: "finished", exitCode: 0, commandLine: texts.multiLineText });
    expect(visible(shell, command)).toBe("1\r\n2\r\n");
  });

  it(`[T89] ${name}: an empty line and Ctrl-C at the prompt are no commands`, async (context) => {
    context.skip(isAbsent, `${file} is not installed`);
    const shell = await open(file);
    shell.type("\r");
    await shell.prompts(2);
    shell.type("not run");
    // fish draws a second time, in colours.
    await shell.seen(name === "fish" ? /\x1b\[91mrun/ : /not run/);
    await shell.idle();
    const shownBefore = shell.text().length;
    shell.type("\x03");
    // The prompt's last character is the user's: `#` for root, and otherwise `$`, `%` or `>` by shell.
    await shell.seen(/(?:\^C|\n).*[#%$>] /s, shownBefore);
    expect(shell.commands).toEqual([]);
    expect(await shell.runLine("true")).toMatchObject({ commandLine: "true", exitCode: 0 });
  });

  it(`[T89] ${name}: Ctrl-C and signals give the shell's exit codes`, async (context) => {
    context.skip(isAbsent, `${file} is not installed`);
    const shell = await open(file);
    const running = shell.runLine("sh -c 'echo started; exec sleep 100'");
    await shell.seen(/^started/m);
    shell.type("\x03");
    expect(codeOf(await running)).toBe(130);
    const killed = await shell.runLine("sh -c 'kill -KILL $$'");
    expect(codeOf(killed)).toBe(137);
  });

  it(`[T89] ${name}: the command \`exit 3\` does not stay open`, async (context) => {
    context.skip(isAbsent, `${file} is not installed`);
    const shell = await open(file);
    shell.type("exit 3\r");
    expect((await shell.run.exited).exitCode).toBe(3);
    expect(shell.commands).toMatchObject([{ commandLine: "exit 3", state: texts.exitState }]);
  });

  it(`[T89] ${name}: a flood between two commands stays where it belongs`, async (context) => {
    context.skip(isAbsent, `${file} is not installed`);
    const shell = await open(file);
    await shell.runLine("echo before");
    const flood = await shell.runLine("seq 100000");
    const after = await shell.runLine("echo after");
    const expected = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\r\n`).join("");
    expect(visible(shell, flood) === expected).toBe(true);
    expect(visible(shell, after)).toBe("after\r\n");
  });

  it(`[E111] ${name}: a pipeline in the background does not take the terminal away`, async (context) => {
    context.skip(isAbsent, `${file} is not installed`);
    const shell = await open(file);
    // One command, as a shell without hooks runs it.
    const running = shell.runLine(texts.readBesidePipeline);
    await shell.seen(/^asked/m);
    shell.type("typed\r");
    const command = await running;
    expect(visible(shell, command)).toContain("got typed.\r\n");
    expect(await shell.runLine("true")).toMatchObject({ commandLine: "true" });
  });

  it(`[T89] ${name} reports the directory, also one with odd characters`, async (context) => {
    context.skip(isAbsent, `${file} is not installed`);
    const shell = await open(file);
    await shell.runLine("cd /usr");
    expect(await shell.runLine("true")).toMatchObject({ cwd: "/usr" });
    await shell.runLine("cd /usr/../tmp");
    await shell.runLine("mkdir -p 'hf; dir ü' && cd 'hf; dir ü'");
    expect(await shell.runLine("cd ..; rmdir 'hf; dir ü'")).toMatchObject({ cwd: "/tmp/hf; dir ü" });
  });

  it(`[T89] ${name} reports a line of any length and any bytes, cut where it must be`, async (context) => {
    context.skip(isAbsent, `${file} is not installed`);
    const shell = await open(file);
    shell.type(`\x1b[200~: '${"x;".repeat(3000)}'\x1b[201~`);
    const command = await shell.runLine("");
    expect(command.state).toBe("finished");
    expect(command.commandLine.startsWith(": 'x;x;x;")).toBe(true);
    expect(command.commandLine.length).toBeGreaterThan(1800);
    expect(shell.text()).not.toContain("633;");
  });
});
