// Variables in a run's environment, and those left out.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";
import { buildEnvironment } from "./environment.ts";
import { LoginEnvironment } from "./login-shell.ts";
import { makeEngine, makeSpawner } from "../testing/level.ts";

guardLeaks();
const spawner = makeSpawner();
const home = mkdtempSync(join(tmpdir(), "login-home-"));
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(async () => {
  await spawner.close();
  rmSync(home, { recursive: true });
});

function setVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

const base = {
  PATH: "/bin",
  HOME: "/home/x",
  HOLDFAST_TOKEN: "ours",
  OPENAI_API_KEY: "theirs",
  GITHUB_TOKEN: "kept",
  PAGER: "less",
  TERM: "xterm",
};

describe("an environment", () => {
  it("[T511] does not name the window that the host was started in", () => {
    const inTmux = { ...base, TMUX: "/tmp/tmux-0/default,1,0", TMUX_PANE: "%0" };
    const environment = buildEnvironment({ base: inTmux, audience: "person", hasScreen: true });
    expect(environment).toHaveProperty("PATH");
    expect(environment).not.toHaveProperty("TMUX");
    expect(environment).not.toHaveProperty("TMUX_PANE");
  });

  it("[T4] for an agent's command has no secrets, no pager and no prompts", () => {
    const environment = buildEnvironment({ base, audience: "agent-command", hasScreen: false });
    expect(environment).toMatchObject({
      PATH: "/bin",
      GITHUB_TOKEN: "kept",
      PAGER: "cat",
      GIT_PAGER: "cat",
      GH_PAGER: "cat",
      SYSTEMD_PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
      SSH_ASKPASS: "/bin/false",
      TERM: "dumb",
    });
    expect(Object.keys(environment)).not.toContain("HOLDFAST_TOKEN");
    expect(Object.keys(environment)).not.toContain("OPENAI_API_KEY");
  });

  it("[T4] for a person is their own, less our secrets", () => {
    expect(buildEnvironment({ base, audience: "person", hasScreen: true })).toEqual({
      PATH: "/bin",
      HOME: "/home/x",
      OPENAI_API_KEY: "theirs",
      GITHUB_TOKEN: "kept",
      PAGER: "less",
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
    });
  });

  it("[T4] keeps the provider secrets that are named", () => {
    expect(
      buildEnvironment({
        base,
        audience: "agent-command",
        hasScreen: false,
        keepSecrets: ["OPENAI_API_KEY"],
      })["OPENAI_API_KEY"],
    ).toBe("theirs");
  });

  it.each([
    [
      [
        { name: "PAGER", value: "most" },
        { name: "NEW", value: "1\n2" },
      ],
    ],
    [{ PAGER: "most", NEW: "1\n2" }],
  ])("[T4] takes the request's variables last, as a list or a map", (variables) => {
    expect(buildEnvironment({ base, audience: "agent-command", hasScreen: false, variables })).toMatchObject({
      PAGER: "most",
      NEW: "1\n2",
    });
  });

  it.each([
    [[{ name: "A=B", value: "" }], "env[0].name"],
    [[{ name: "", value: "" }], "env[0].name"],
    [
      [
        { name: "A", value: "x" },
        { name: "B", value: 7 },
      ],
      "env[1].value",
    ],
    [[null], "env[0]"],
    [{ A: "a\0b" }, "env.A"],
    ["A=B", "env"],
  ])("[T5] refuses %j, naming %s", (variables, field) => {
    expect(() =>
      buildEnvironment({ base, audience: "person", hasScreen: false, variables: variables as never }),
    ).toThrow(expect.objectContaining({ code: "invalid_request", field }));
  });

  it.each([
    ["bash", ".bash_profile"],
    ["zsh", ".zshrc"],
    ["sh", ".profile"],
  ])("[T4] is what a login %s sets up, whatever it prints", async (shell, profile, ...rest) => {
    const context = rest.at(-1) as { skip(note: string): void } | undefined;
    const program = findShell(shell);
    if (program === undefined) return context?.skip(`${shell} is not installed`);
    writeFileSync(join(home, profile), 'echo "welcome to {the} machine"\nexport FROM_PROFILE="one\ntwo"\n');
    setVariables({ HOME: home, SHELL: program, ZDOTDIR: home });
    const environment = await new LoginEnvironment(spawner).get();
    expect(environment["FROM_PROFILE"]).toBe("one\ntwo");
    expect(environment["SHLVL"]).toBe(process.env["SHLVL"]);
    rmSync(join(home, profile));
  });

  it("[T4] is the host's own when the profile hangs, after four seconds at most", async () => {
    const slowHome = mkdtempSync(join(home, "slow-"));
    writeFileSync(join(slowHome, ".bash_profile"), "export FROM_PROFILE=late\nsleep 60\n");
    setVariables({ HOME: slowHome, SHELL: "/bin/bash" });
    const startedMs = performance.now();
    const environment = await new LoginEnvironment(spawner).get();
    expect(performance.now() - startedMs).toBeLessThan(6000);
    expect(environment["FROM_PROFILE"]).toBeUndefined();
    expect(environment["PATH"]).toBe(process.env["PATH"]);
  });

  it("[T4] is captured once for all engines of a process, from the moment the first is made", async () => {
    const countingHome = mkdtempSync(join(home, "counting-"));
    const starts = join(countingHome, "starts");
    writeFileSync(
      join(countingHome, ".bash_profile"),
      `echo started >> ${starts}\nexport FROM_PROFILE=shared\n`,
    );
    setVariables({ HOME: countingHome, SHELL: "/bin/bash" });
    const engines = [makeEngine(), makeEngine()];
    await expect.poll(() => existsSync(starts), { timeout: 10_000 }).toBe(true);
    for (const engine of engines) {
      const terminal = await engine.open({ command: "echo $FROM_PROFILE" });
      await terminal.exited;
      expect(terminal.output.tail().output).toBe("shared\n");
    }
    expect(readFileSync(starts, "utf8")).toBe("started\n");
    await Promise.all(engines.map((engine) => engine.close()));
  });

  it("[T4] given as a map is taken as it is; only a tty run's TERM is set", async () => {
    const environment = { PATH: process.env["PATH"], OPENAI_API_KEY: "kept", PAGER: "less", TERM: "vt52" };
    const engine = makeEngine({ environment });
    const print = `echo $OPENAI_API_KEY $PAGER $TERM $EXTRA`;
    const outputs = [];
    for (const kind of ["text", "tty"] as const) {
      const terminal = await engine.open({ command: print, kind, env: { EXTRA: "more" } });
      await terminal.exited;
      outputs.push(terminal.output.tail().output.trim());
    }
    expect(outputs).toEqual(["kept less vt52 more", "kept less xterm-256color more"]);
    await engine.close();
  });

  it("[T4] is the host's own for an account that cannot log in", async () => {
    setVariables({ SHELL: "/usr/sbin/nologin" });
    expect((await new LoginEnvironment(spawner).get())["PATH"]).toBe(process.env["PATH"]);
  });
});

function findShell(name: string): string | undefined {
  try {
    return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
  } catch {
    // `command -v` fails when there is none.
    return undefined;
  }
}
