// `holdfast completion`: the script that completes this command line in a shell (C59).
import { setTimeout as delay } from "node:timers/promises";
import { Holdfast } from "@holdfast/sdk";
import { Argument, type Command } from "commander";
import { shortName } from "../short-name.ts";
import { findHost, type HostChoice } from "../link/find-host.ts";
import { safeText } from "../safe-text.ts";
import { type CommandContext, localCommand, type Runner } from "./command.ts";
import { bashScript } from "./completion/bash.ts";
import { type CommandPlace, commandPlaces, type Noun, NOUNS } from "./completion/command-tree.ts";
import { fishScript } from "./completion/fish.ts";
import { zshScript } from "./completion/zsh.ts";
import { shortSessionName } from "./session-name.ts";

type Shell = "bash" | "zsh" | "fish";

const scripts: Readonly<Record<Shell, (places: readonly CommandPlace[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Adds `completion`, and the hidden command that its scripts ask for names. */
export function addCompletion(program: Command, run: Runner): void {
  localCommand(program, "completion", "print a completion script for your shell")
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(scripts)))
    .addHelpText(
      "after",
      [
        "",
        "To load it in every new shell:",
        "  bash  echo 'source <(holdfast completion bash)' >> ~/.bashrc",
        "  zsh   echo 'source <(holdfast completion zsh)' >> ~/.zshrc   (after compinit)",
        "  fish  holdfast completion fish > ~/.config/fish/completions/holdfast.fish",
      ].join("\n"),
    )
    .action(
      // The whole command line is known only when it is asked for: commands are added one after another.
      run(async ({ console }, shell: Shell) => console.write(scripts[shell](commandPlaces(program)))),
    );
  addComplete(program, run);
}

interface Candidate {
  readonly name: string;
  readonly description: string;
}

/** Nobody waits longer for a TAB. */
const timeoutMs = 3000;

/** These also take sessions that are over. */
const takesClosed = new Set(["export", "delete", "audit"]);

/** These also take terminals whose command has ended. */
const takesExited = new Set(["logs"]);

/** Adds `__complete`, which no help shows. */
function addComplete(program: Command, run: Runner): void {
  program
    .command("__complete", { hidden: true })
    .argument("<noun>")
    .argument("[words...]")
    .action(
      run(async (context, noun: string, words: readonly string[]) => {
        const controller = new AbortController();
        const found = await Promise.race([
          findCandidates(context, noun, words, controller.signal),
          delay(timeoutMs, [], { ref: false }),
        ]).catch(() => {
          // No host, no right, no names: TAB prints no errors.
          return [];
        });
        controller.abort();
        for (const { name, description } of found) {
          await context.console.print(`${safeText(name)}\t${safeText(description)}`);
        }
      }),
    );
}

async function findCandidates(
  { console, environment, programPath }: CommandContext,
  word: string,
  words: readonly string[],
  signal: AbortSignal,
): Promise<Candidate[]> {
  const noun = NOUNS.find((each) => each === word);
  if (noun === undefined) return [];
  const choice = choiceIn(words);
  const { url, token } = await findHost({ choice, environment, console, mayStart: false, programPath });
  return listNames(new Holdfast({ baseUrl: url, apiKey: token }), noun, words, signal);
}

/** The host that the words so far mean. */
function choiceIn(words: readonly string[]): HostChoice {
  const after = (option: string): string | undefined => {
    const index = words.lastIndexOf(option);
    return index === -1 ? undefined : words[index + 1];
  };
  return { url: after("--url"), home: after("--home") };
}

async function listNames(
  { acpAgent, approvals, apps, keys, terminals }: Holdfast,
  noun: Noun,
  [command = ""]: readonly string[],
  signal: AbortSignal,
): Promise<Candidate[]> {
  switch (noun) {
    case "session": {
      const sessions = await acpAgent.listSessions({ closed: takesClosed.has(command), signal });
      return sessions.map(({ session_key, agent_id, label, runtime_options }) => ({
        name: shortSessionName(session_key),
        description: [agent_id, label ?? runtime_options.cwd ?? ""].join(" ").trimEnd(),
      }));
    }
    case "terminal":
      return (await terminals.list({ signal })).flatMap(({ id, title, lifecycle }) =>
        takesExited.has(command) || lifecycle.status === "running"
          ? [{ name: shortName(id), description: title }]
          : [],
      );
    case "agent":
      return (await acpAgent.listAgents({ signal })).flatMap(({ id, label, installed }) =>
        installed ? [{ name: id, description: label }] : [],
      );
    case "request":
      return (await approvals.list({ signal })).map(({ requestId, target }) => ({
        name: shortName(requestId),
        description: target,
      }));
    case "key":
      return (await keys.list({ signal })).flatMap(({ id, name, revokedAt }) =>
        revokedAt === null ? [{ name: id, description: name }] : [],
      );
    case "app":
      return (await apps.list({ signal })).map(({ id, name }) => ({ name: id, description: name }));
  }
}
