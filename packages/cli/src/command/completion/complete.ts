// `holdfast __complete`: the names that a shell offers; quick, and silent where there is nothing to say (C59).
import { setTimeout as delay } from "node:timers/promises";
import { Holdfast } from "@holdfast/sdk";
import type { Command } from "commander";
import { findHost, type HostChoice } from "../../link/find-host.ts";
import { shortRequestName } from "../approval-choice.ts";
import type { CommandContext, Runner } from "../command.ts";
import { safeText } from "../../safe-text.ts";
import { shortSessionName } from "../session-name.ts";
import { NOUNS, type Noun } from "./command-tree.ts";

interface Candidate {
  readonly name: string;
  readonly description: string;
}

/** Nobody waits longer for a TAB. */
const patienceMs = 3000;

/** These also take sessions that are over. */
const takesClosed = new Set(["export", "delete", "audit"]);

/** Adds `__complete`, which no help shows. */
export function addComplete(program: Command, run: Runner): void {
  program
    .command("__complete", { hidden: true })
    .argument("<noun>")
    .argument("[words...]")
    .action(
      run(async (context, noun: string, words: readonly string[]) => {
        const controller = new AbortController();
        const found = await Promise.race([
          findCandidates(context, noun, words, controller.signal),
          delay(patienceMs, [], { ref: false }),
        ]).catch(() => {
          // No host, no right, no names: whoever presses TAB is not to be told of it.
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
      return (await terminals.list({ signal })).map(({ id, title }) => ({ name: id, description: title }));
    case "agent":
      return (await acpAgent.listAgents({ signal })).flatMap(({ id, label, installed }) =>
        installed ? [{ name: id, description: label }] : [],
      );
    case "request":
      return (await approvals.list({ signal })).map(({ requestId, target }) => ({
        name: shortRequestName(requestId),
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
