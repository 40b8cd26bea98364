// Turns of a hostile agent, in which a person gives the same answer to everything.
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Approval } from "@holdfast/ahp";
import type { FakeHost, FakeHostOptions } from "./fake-host.ts";
import type { FakeSession } from "./fake-session.ts";
import { askPermission, type Step } from "./script.ts";

/** A turn that was played. */
export interface PlayedTurn {
  readonly session: FakeSession;
  /** The questions to the person. */
  readonly asked: readonly Approval[];
  readonly work: string;
}

/** A request to run `true` whose title says something else. */
export const ASK_TRUE: Step = askPermission("run", {
  kind: "execute",
  title: "ls",
  rawInput: { command: "true" },
});

/** Plays a turn under `ask`; the steps may depend on the session's folder. */
export async function playTurn(
  newHost: (options: FakeHostOptions) => FakeHost,
  steps: readonly Step[] | ((work: string) => readonly Step[]),
  option = "allow_once",
  more: FakeHostOptions = {},
): Promise<PlayedTurn> {
  const host = newHost({ agents: { mine: {} }, ...more });
  const script = typeof steps === "function" ? steps(host.work) : steps;
  writeFileSync(path.join(host.folder, "mine.json"), JSON.stringify([{ prompts: { go: script } }]));
  const session = await host.open({ approvalPolicy: "ask" });
  const turn = session.stream("go");
  const asked: Approval[] = [];
  for (let index = 0; ; index += 1) {
    const approval = await Promise.race([turn.approval(index), turn.ended]);
    if ("type" in approval) return { session, asked, work: host.work };
    asked.push(approval);
    const { resolved, reason } = session.resolve(approval.id, option);
    if (!resolved) throw new Error(reason);
  }
}
