// Completion in real shells: words from the command line itself, names from a running host.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Holdfast } from "@holdfast/sdk";
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { createProgram } from "../commands.ts";
import { runWords } from "../testing/command-run.ts";
import { programFile } from "../testing/program-file.ts";
import { ProgramRun } from "../testing/program-run.ts";
import { createRunner } from "./command.ts";
import { commandPlaces } from "./completion/command-tree.ts";

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-completion-"));
const home = path.join(folder, "home");
const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

let host: ProgramRun;
let session: string;

beforeAll(async () => {
  mkdirSync(path.join(folder, "bin"));
  const program = path.join(folder, "bin", "holdfast");
  const words = [process.execPath, programFile];
  writeFileSync(program, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`);
  chmodSync(program, 0o755);
  for (const shell of shells) writeFileSync(scriptOf(shell), (await runWords(["completion", shell])).stdout);
  host = new ProgramRun(["--port", "0", "--home", home, "--json"], { program: "main" });
  const { url, token } = await host.ready();
  const api = new Holdfast({ baseUrl: url, apiKey: token });
  const label = "it's: $(touch no)";
  const { session_key } = await api.acpAgent.createSession({ agent_id: "shell", cwd: folder, label });
  session = (session_key.split(":").at(-1) ?? "").slice(0, 8);
}, 60_000);

afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

function scriptOf(shell: Shell): string {
  return path.join(folder, `completion.${shell}`);
}

const bashProgram = `
source "$1"; shift
for line in "$@"; do
  read -ra COMP_WORDS <<< "$line"
  [[ $line == *" " ]] && COMP_WORDS+=("")
  COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
  _holdfast
  echo "\${COMPREPLY[*]}"
done`;

const fishProgram = `
source $argv[1]
for line in $argv[2..]
    echo (complete -C $line | string replace -r '\\t.*' '')
end`;

/** Runs in a separate terminal, because zsh completes nowhere else, and captures the completions. */
const zshProgram = `
zmodload zsh/zpty
export OFFERS=$HOME/offers
zpty z zsh -f -i
zpty -w z 'PROMPT=; autoload -Uz compinit; compinit -D -u; source '\${(q)1}'
compadd() {
  local -a found
  if (( ! \${@[(I)-(O|A|D)]} )); then builtin compadd -O found "$@"; print -rl -- $found >> $OFFERS; fi
  builtin compadd "$@"
}
offer() { zle complete-word; print -n OFFER""ED; BUFFER=; }
zle -N offer; bindkey "^I" offer'
shift
for line in "$@"; do
  : > $OFFERS
  zpty -w -n z "$line"$'\\t'
  zpty -r z shown '*OFFERED*'
  print -r -- \${(f)"$(<$OFFERS)"}
done
zpty -d z`;

const interpreters: Readonly<Record<Shell, (words: readonly string[]) => string[]>> = {
  bash: (words) => ["-c", bashProgram, "bash", ...words],
  zsh: (words) => ["-f", "-c", zshProgram, "zsh", ...words],
  fish: (words) => ["--no-config", "-c", fishProgram, ...words],
};

/** Completions that a shell offers at the end of each line. */
function complete(shell: Shell, lines: readonly string[], programs = "bin"): string[][] {
  const environment = {
    HOME: folder,
    PATH: `${path.join(folder, programs)}:${process.env["PATH"] ?? ""}`,
    HOLDFAST_HOME: home,
    TERM: "xterm",
  };
  const output = execFileSync(shell, interpreters[shell]([scriptOf(shell), ...lines]), {
    cwd: folder,
    env: environment,
    encoding: "utf8",
    timeout: 50_000,
  });
  return output
    .trimEnd()
    .split("\n")
    .map((line) => [...new Set(line.split(" "))].filter((word) => word !== "").toSorted());
}

function skipWithout(shell: Shell, { skip }: TestContext): void {
  if (spawnSync(shell, ["--version"]).error !== undefined) skip(`this machine has no ${shell}`);
}

describe.each(shells)("[C59] %s", (shell) => {
  it(`[C59] ${shell} offers commands, options, choices and the host's names where they fit`, (context) => {
    skipWithout(shell, context);
    const offered = complete(shell, [
      "holdfast appr",
      "holdfast keys ",
      "holdfast keys create --s",
      "holdfast keys create --scope t",
      "holdfast completion ",
      "holdfast close --reason done ",
      "holdfast export --format m",
      "holdfast ls --home hom",
    ]);
    expect(offered.map((words) => words.join(" "))).toEqual([
      "approvals approve",
      "create ls revoke",
      "--scope",
      "terminal",
      "bash fish zsh",
      session,
      "markdown",
      expect.stringMatching(/^home\/?$/),
    ]);
  }, 60_000);
});

describe.each(shells)("[C59] %s and names of others' making", (shell) => {
  it(`[C59] ${shell} carries nothing out that stands in a name`, (context) => {
    skipWithout(shell, context);
    const programs = `odd-${shell}`;
    mkdirSync(path.join(folder, programs));
    const program = path.join(folder, programs, "holdfast");
    writeFileSync(
      program,
      `#!/bin/sh\nprintf '%s\\t%s\\n' '$(touch,first)' '$(touch first)' '\`touch,second\`' x\n`,
    );
    chmodSync(program, 0o755);
    writeFileSync(path.join(folder, programs, "touch,first"), `#!/bin/sh\ntouch first\n`, { mode: 0o755 });
    writeFileSync(path.join(folder, programs, "touch,second"), `#!/bin/sh\ntouch second\n`, { mode: 0o755 });
    const [offered = []] = complete(shell, ["holdfast close "], programs);
    expect(offered.map((word) => word.replaceAll("\\", ""))).toEqual(["$(touch,first)", "`touch,second`"]);
    expect(readdirSync(folder)).not.toContain("first");
    expect(readdirSync(folder)).not.toContain("second");
  }, 30_000);
});

describe("[C59] the source of the names", () => {
  it("[C59] is silent and starts nothing where no host runs", async () => {
    const empty = path.join(folder, "empty");
    for (const noun of ["session", "terminal", "nonsense"]) {
      const quiet = await runWords(["__complete", noun, "--", "close", "--home", empty]);
      expect(quiet).toEqual({ code: 0, stdout: "", stderr: "" });
    }
    const named = await runWords(["__complete", "session", "--", "close", "--home", home]);
    expect(named.stdout).toBe(`${session}\tshell it's: $(touch no)\n`);
    const agents = await runWords(["__complete", "agent", "--", "run", "--home", home]);
    expect(agents.stdout).toBe("shell\tShell\n");
  });

  it("[C59] every argument and option that names one of the host's things is completed by it", async () => {
    const program = await createProgram(
      createRunner("holdfast.js", () => undefined),
      () => undefined,
    );
    const places = commandPlaces(program);
    expect(places.map(({ path: place }) => place)).not.toContain("__complete");
    const nouns = places.flatMap(({ path: place, values }) =>
      values.flatMap((value) => (value.kind === "noun" ? [`${place} ${value.noun}`] : [])),
    );
    expect(nouns).toEqual(
      expect.arrayContaining(["approve request", "close session", "export session", "keys revoke key"]),
    );
  });
});
