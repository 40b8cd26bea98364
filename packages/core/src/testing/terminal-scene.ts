// A turn that has made a terminal, watched by two clients.
import { type TerminalUri, makeId, terminalUri } from "@holdfast/ahp";
import { expect } from "vitest";
import type { FakeHost, FakeHostOptions } from "./fake-host.ts";
import type { FakeSession } from "./fake-session.ts";
import { ask, askOn, type Script, type Step } from "./script.ts";
import { WatchingClient } from "./terminal-viewer.ts";
import type { WatchedTurn } from "./watched-turn.ts";

/** Names the terminal that `create` made. */
export const id = { terminalId: "$made.terminalId" };
const tty = { _meta: { holdfast: { tty: true } } };
/** The step that makes the terminal. */
export const create = (command: string, more: object = tty): Step =>
  ask("made", "terminal/create", { command, ...more });
/** The step that waits for its exit. */
export const wait = askOn("wait", "terminal/wait_for_exit", id);
/** The step that waits until the test lets it pass. */
export const gate = (name: string): Step => ({ do: "until", path: name });
/** A submission that was rejected for a reason. */
export const rejected = (reason: RegExp): unknown =>
  expect.objectContaining({ outcome: "rejected", reason: expect.stringMatching(reason) as string });

/** The host, the session and the clients of a scene. */
export interface Scene {
  readonly host: FakeHost;
  readonly session: FakeSession;
  readonly turn: WatchedTurn;
  readonly uri: TerminalUri;
  readonly ann: WatchingClient;
  readonly ben: WatchingClient;
}

/** Plays scenes on the hosts of a test file. */
export function scenes(newHost: (options: FakeHostOptions) => FakeHost) {
  return async (
    steps: readonly Step[],
    later: NonNullable<Script["prompts"]> = {},
    options: FakeHostOptions = {},
  ): Promise<Scene> => {
    const host = newHost({ ...options, agents: { mine: { prompts: { go: steps, ...later } } } });
    const session = await host.open({ approvalPolicy: "approve-all" });
    const turn = session.stream("go");
    const { terminalId } = await session.agent.result("made");
    const uri = terminalUri(makeId("terminal", String(terminalId)));
    const terminals = host.terminals;
    const ann = await WatchingClient.open(terminals, uri, "ann");
    const ben = await WatchingClient.open(terminals, uri, "ben");
    return { host, session, turn, uri, ann, ben };
  };
}
