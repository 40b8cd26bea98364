// Shells with the user's start-up files: these run as ever, keep their hooks, and see nothing of ours.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, describe, expect, it, type TestContext } from "vitest";
import { makeSpawner } from "../testing/level.ts";
import { openShell, type ShellSession } from "../testing/shell-session.ts";
import type { StreamMark } from "../view/index.ts";

const bash = "/bin/bash";
const zsh = "/bin/zsh";
const fish = "/usr/bin/fish";
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

interface Start {
  readonly promptMark?: StreamMark["kind"];
  readonly shell: string;
  readonly args?: readonly string[];
  /** Start-up files by name, in the home directory. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

async function open(
  context: TestContext,
  { shell, args = [], files = {}, env = {}, promptMark = "promptEnd" }: Start,
): Promise<ShellSession> {
  context.skip(!existsSync(shell), `${shell} is not installed`);
  const home = mkdtempSync(path.join(tmpdir(), "holdfast-home-"));
  homes.push(home);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(home, name), text);
  session = await openShell(spawner, {
    shell,
    args,
    promptMark,
    env: {
      HOME: home,
      PATH: process.env["PATH"] ?? "",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      fish_greeting: "",
      ...env,
    },
  });
  await session.prompts(1);
  return session;
}

const home = (): string => homes.at(-1) ?? "";

const nonceOf = (shell: ShellSession): string => (shell.prepared.integrated ? shell.prepared.nonce : "");

/** The output of a line, and how it ended. */
async function run(
  shell: ShellSession,
  line: string,
): Promise<[output: string, exitCode: number | undefined]> {
  const command = await shell.runLine(line);
  return [shell.outputOf(command), command.state === "finished" ? command.exitCode : undefined];
}

describe("[T90] bash and the user's files", () => {
  it("[T90] reads .bashrc, which may print, fail and return", async (context) => {
    const shell = await open(context, {
      shell: bash,
      files: { ".bashrc": "echo from bashrc\nFOO=kept\nno-such-command\n(\necho after\nreturn 7\n" },
    });
    expect(shell.text()).toMatch(/^from bashrc\r\n.*no-such-command.*\r\n.*syntax error/s);
    expect(await run(shell, "echo $FOO")).toEqual(["kept\r\n", 0]);
  });

  it("[T90] a login shell is one, and reads the profile alone", async (context) => {
    const shell = await open(context, {
      shell: bash,
      args: ["-l"],
      files: {
        ".bash_profile": "echo from profile\ndeclare -A map=([a]=1)\n",
        ".profile": "echo from the other\n",
        ".bashrc": "echo from bashrc\n",
      },
    });
    expect(shell.text()).toMatch(/^from profile\r\n/);
    expect(shell.text()).not.toMatch(/other|from bashrc/);
    expect(
      await run(shell, "shopt -q login_shell && echo $- ${map[a]} ${ENV-none} $POSIXLY_CORRECT"),
    ).toEqual([expect.stringMatching(/^[a-zA-Z]+ 1 none\r\n$/), 0]);
    expect(await run(shell, "shopt -o posix; echo $HISTFILE")).toEqual([
      `posix          \toff\r\n${home()}/.bash_history\r\n`,
      0,
    ]);
  });

  it("[T90] keeps a DEBUG trap and what it sees, and shows it none of our commands", async (context) => {
    const shell = await open(context, {
      shell: bash,
      files: { ".bashrc": `trap 'printf "<%s %s>" "$?" "$BASH_COMMAND"' DEBUG\n` },
    });
    await run(shell, "false");
    expect(await run(shell, "echo $?")).toEqual(["<1 echo $?>1\r\n", 0]);
    expect(shell.text()).not.toContain("__hf");
  });

  it("[T90] keeps a DEBUG trap and a PROMPT_COMMAND that were set at the prompt", async (context) => {
    const shell = await open(context, { shell: bash });
    await run(shell, `trap 'printf "<%s>" "$BASH_COMMAND"' DEBUG`);
    // Until it has been found, it sees what runs before a prompt.
    await run(shell, "true");
    expect(await run(shell, "echo one")).toEqual(["<echo one>one\r\n", 0]);
    await run(shell, "trap - DEBUG; PROMPT_COMMAND='echo before prompt'");
    expect(await run(shell, "sh -c 'exit 5'")).toEqual(["", 5]);
    await run(shell, 'PROMPT_COMMAND="echo earlier; $PROMPT_COMMAND"');
    expect(await run(shell, "sh -c 'exit 6'")).toEqual(["", 6]);
    expect(shell.text()).toMatch(/earlier\r\n/);
    shell.type("unset PROMPT_COMMAND\r");
    await shell.prompts(shell.marks.filter((mark) => mark.kind === "promptEnd").length + 1);
    shell.type("true\r");
    await shell.prompts(shell.marks.filter((mark) => mark.kind === "promptEnd").length + 1);
    expect(await run(shell, "sh -c 'exit 7'")).toEqual(["", 7]);
  });

  it.for([
    ["a string", `PROMPT_COMMAND='printf "[%s]" $?;'`],
    ["an array", `PROMPT_COMMAND=('printf "[%s" $?' 'printf "]"')`],
  ])(
    "[T90] keeps a PROMPT_COMMAND that is %s, after the end of the command",
    async ([, assignment], context) => {
      const shell = await open(context, {
        shell: bash,
        files: { ".bashrc": `${assignment}\n` },
      });
      expect(await run(shell, "sh -c 'exit 3'")).toEqual(["", 3]);
      expect(shell.text()).toContain("[3]");
    },
  );

  it.for([
    "set -u",
    "set -e",
    "set -o noclobber; set -f",
    "set -T; set -E; trap 'echo ERR' ERR",
    "shopt -s extdebug",
    "set -a",
    "IFS=x",
    "HISTCONTROL=ignoreboth",
  ])("[T90] works with %s", async (setting, context) => {
    const shell = await open(context, { shell: bash, files: { ".bashrc": `${setting}\n` } });
    expect(await run(shell, "! true")).toEqual(["", 1]);
    expect(await run(shell, "echo one; echo two")).toEqual(["one\r\ntwo\r\n", 0]);
    expect(await run(shell, "echo a b")).toEqual(["a b\r\n", 0]);
    expect(await run(shell, "echo $_")).toEqual(["b\r\n", 0]);
    expect((await run(shell, "env"))[0]).not.toContain(nonceOf(shell));
    const lines = shell.commands.map(({ commandLine }) => commandLine);
    expect(lines).toEqual(["! true", "echo one; echo two", "echo a b", "echo $_", "env"]);
  });

  it("[T90] works where prompts are not expanded", async (context) => {
    const files = { ".bashrc": "shopt -u promptvars\n" };
    const shell = await open(context, { shell: bash, files, promptMark: "promptStart" });
    await shell.seen(/# $|\$ $/);
    expect((await run(shell, "sh -c 'exit 4'"))[1]).toBe(4);
    expect(shell.commands).toMatchObject([{ commandLine: "sh -c 'exit 4'" }]);
  });

  it("[T90] without a history a line is reported by its first command", async (context) => {
    const shell = await open(context, { shell: bash, files: { ".bashrc": "set +o history\n" } });
    expect(await run(shell, "echo one; echo two")).toEqual(["one\r\ntwo\r\n", 0]);
    expect(shell.commands).toMatchObject([{ commandLine: "echo one" }]);
  });

  it("[T90] goes along with a library of hooks that installs itself at the first prompt", async (context) => {
    const library = String.raw`
__bp_install_string=$'__bp_trap_string="$(trap -p DEBUG)"\ntrap - DEBUG\n__bp_install'
__bp_install() {
  if [[ $PROMPT_COMMAND == *__bp_precmd* ]]; then return 1; fi
  trap '__bp_preexec "$_"' DEBUG
  PROMPT_COMMAND=$'__bp_precmd\n'"${"$"}{PROMPT_COMMAND//"$__bp_install_string"}"$'\n__bp_interactive'
}
__bp_precmd() { printf '[precmd %s]' "$?"; }
__bp_interactive() { __bp_on=1; }
__bp_preexec() {
  if [[ -z $__bp_on ]]; then return; fi
  __bp_on=
  printf '[preexec %s]' "$(HISTTIMEFORMAT= history 1 | sed 's/^ *[0-9]* *//')"
}
PROMPT_COMMAND=$__bp_install_string
`;
    const shell = await open(context, { shell: bash, files: { ".bashrc": library } });
    expect(await run(shell, "echo one; sh -c 'exit 3'")).toEqual([
      "[preexec echo one; sh -c 'exit 3']one\r\n",
      3,
    ]);
    expect(await run(shell, "echo two")).toEqual(["[preexec echo two]two\r\n", 0]);
    expect(shell.text()).toContain("[precmd 3]");
    expect(shell.text()).not.toContain("__hf");
  });

  it("[T90] traces nothing of ours with xtrace but the two names", async (context) => {
    const shell = await open(context, { shell: bash });
    await run(shell, "set -x");
    await run(shell, "true");
    const traced = shell
      .text()
      .split("\r\n")
      .filter((line) => line.startsWith("+"));
    expect(
      traced.filter((line) => line.includes("__hf") && !/^\++ __hf_(precmd|prompt|debug|alive=1)/.test(line)),
    ).toEqual([]);
  });

  it("[T90] a line that the history forgets is reported by its first command; the history has none of ours", async (context) => {
    const shell = await open(context, { shell: bash, files: { ".bashrc": "HISTCONTROL=ignorespace\n" } });
    await run(shell, "echo known");
    await run(shell, " echo secret");
    await run(shell, "echo known");
    expect(shell.commands.map(({ commandLine }) => commandLine)).toEqual([
      "echo known",
      "echo secret",
      "echo known",
    ]);
    const [history] = await run(shell, "history");
    expect(history.replaceAll(/^ +\d+ +/gm, "")).toBe("echo known\r\necho known\r\nhistory\r\n");
  });

  it("[T90] an exported prompt takes the nonce nowhere, and a shell in the shell is plain", async (context) => {
    const shell = await open(context, { shell: bash, files: { ".bashrc": "export PS1='> ' PS0=x\n" } });
    const [variables] = await run(
      shell,
      "env; cat /proc/$PPID/environ /proc/$$/environ 2>/dev/null | tr '\\0' '\\n'",
    );
    expect(variables).toContain("PS1=");
    expect(variables).not.toContain(nonceOf(shell));
    expect(
      await run(shell, "bash --norc -ic 'echo \"$PS1\" | grep -c __hf; set | grep -c ^__hf_debug'"),
    ).toEqual([expect.stringMatching(/^\d+\r\n0\r\n$/), 1]);
    expect(
      readFileSync(path.join(shell.prepared.integrated ? shell.prepared.folder : "", "nonce"), "utf8"),
    ).toBe("");
  });

  it("[T90] `exec bash` leaves a shell that works and reports nothing", async (context) => {
    const shell = await open(context, { shell: bash });
    shell.type("exec bash --norc\r");
    await shell.seen(/exec bash --norc\r\n.*\$|#/s);
    const from = shell.text().length;
    shell.type("echo still here | tr a-z A-Z\r");
    await shell.seen(/STILL HERE\r\n/, from);
    expect(shell.commands).toMatchObject([{ commandLine: "exec bash --norc", state: "open" }]);
  });
});

describe("[T90] zsh and the user's files", () => {
  const zdotdirFiles = {
    ".zshenv": "echo zshenv\n",
    ".zprofile": "echo zprofile\n",
    ".zshrc": "echo zshrc $ZDOTDIR\nPS1='> '\n",
    ".zlogin": "echo zlogin\n",
    ".zlogout": "echo zlogout\n",
  };

  it.for([
    [["-i"], ["zshenv", "zshrc"]],
    [["-l"], ["zshenv", "zprofile", "zshrc", "zlogin"]],
  ])("[T90] with %j reads %j, in this order", async ([args = [], expected], context) => {
    const shell = await open(context, { shell: zsh, args, files: zdotdirFiles });
    const lines = shell
      .text()
      .split("\r\n")
      .map((line) => line.trim())
      .filter((line) => line.startsWith("z"));
    expect(lines).toEqual(expected);
    expect(await run(shell, "echo ${ZDOTDIR-unset}; [[ -o login ]]")).toEqual([
      "unset\r\n",
      args[0] === "-l" ? 0 : 1,
    ]);
  });

  it("[T90] a ZDOTDIR of the user's stays", async (context) => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-home-"));
    homes.push(folder);
    writeFileSync(path.join(folder, ".zshrc"), "echo mine\nPS1='> '\n");
    const shell = await open(context, { shell: zsh, env: { ZDOTDIR: folder } });
    expect(shell.text()).toContain("mine");
    expect(await run(shell, "echo $ZDOTDIR; env | grep -c ZDOTDIR")).toEqual([`${folder}\r\n1\r\n`, 0]);
    expect(readdirSync(folder).filter((name) => name !== ".zshrc" && name !== ".zsh_history")).toEqual([]);
  });

  it("[T90] keeps precmd, preexec and the mark of an unfinished line", async (context) => {
    const shell = await open(context, {
      shell: zsh,
      files: {
        ".zshrc":
          'PS1=\'> \'\nPROMPT_EOL_MARK=EOL\nprecmd_functions+=(mine)\nmine() { print -n "[$?]$PROMPT_EOL_MARK" }\npreexec() { print -n "{$1}" }\n',
      },
    });
    expect(await run(shell, "printf x; (exit 4)")).toEqual(["x", 4]);
    expect(shell.text()).toMatch(/\{printf x; \(exit 4\)\}xEOL *\r *\r\[4\]EOL/);
    expect((await run(shell, "env"))[0]).not.toContain(nonceOf(shell));
    await run(shell, "precmd_functions=(mine); unset PROMPT_EOL_MARK");
    await run(shell, "true");
    expect(await run(shell, "sh -c 'exit 6'")).toEqual(["", 6]);
  });

  it.for([
    "setopt no_unset err_return",
    "setopt ksh_arrays sh_word_split",
    "setopt no_prompt_sp",
    "setopt no_prompt_percent",
    "setopt all_export",
    "setopt xtrace",
    "setopt no_clobber null_glob",
    "alias print=false local=false",
  ])("[T90] works with %s", async (setting, context) => {
    const shell = await open(context, { shell: zsh, files: { ".zshrc": `PS1='> '\n${setting}\n` } });
    expect((await run(shell, "sh -c 'exit 9'"))[1]).toBe(9);
    expect((await run(shell, "echo one; echo two"))[0]).toContain("one\r\n");
    expect((await run(shell, "env"))[0]).not.toContain(nonceOf(shell));
    const lines = shell.commands.map(({ commandLine }) => commandLine);
    expect(lines.slice(0, 2)).toEqual(["sh -c 'exit 9'", "echo one; echo two"]);
  });
});

describe("[T90] fish and the user's files", () => {
  it("[T90] reads the configuration, and keeps prompt, hooks and status", async (context) => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-home-"));
    homes.push(folder);
    mkdirSync(path.join(folder, "fish"));
    writeFileSync(
      path.join(folder, "fish", "config.fish"),
      'echo from config\nfunction fish_prompt; echo -n "[$status] > "; end\nfunction mine --on-event fish_postexec; echo hooked; end\n',
    );
    const shell = await open(context, { shell: fish, env: { XDG_CONFIG_HOME: folder } });
    expect(shell.text()).toContain("from config");
    const command = await shell.runLine("sh -c 'exit 4'");
    expect(command).toMatchObject({ commandLine: "sh -c 'exit 4'", exitCode: 4 });
    await shell.seen(/hooked\r\n.*\[4\] > /s);
    expect((await run(shell, "env"))[0]).not.toContain(nonceOf(shell));
  });
});
