// Runs a list of actions through the projection of a turn and compares the events that come of it, exactly.
import { type Action, channelModels, makeId } from "@holdfast/ahp";
import { OPERATIONS } from "@holdfast/protocol";
import { expect } from "vitest";
import { TurnProjection } from "../http/turn-projection.ts";

/** The turn that the cases follow. */
export const turnId = "turn-1";
/** The moment at which everything happens. */
export const at = "2026-01-02T03:04:05.000Z";
/** The turn begins. */
export const started = {
  type: "chat/turnStarted",
  turnId,
  startedAt: at,
  message: { text: "hi", origin: { kind: "user" } },
};

/** One case. */
export interface ProjectionCase {
  readonly title: string;
  /** Actions after the turn began. */
  readonly actions: readonly object[];
  /** The expected events. */
  readonly events: readonly object[];
  /** Actions before the turn begins. */
  readonly before?: readonly object[];
  readonly neverBegins?: boolean;
}

/** Fails unless the actions give exactly these events, each as its contract says. */
export function expectProjection(example: ProjectionCase): void {
  const { actions, events, before = [], neverBegins = false } = example;
  const projection = new TurnProjection(makeId("turn", turnId));
  const all = [...before, ...(neverBegins ? [] : [started]), ...actions];
  const projected = all.flatMap((action) => projection.project(readAction(action)));
  expect(projected).toEqual(events);
  for (const event of projected) OPERATIONS.streamChat.response.parse(event);
  expect(projection.isOver).toBe(projected.at(-1)?.type === "close");
}

/** A status event. */
export function status(tag: string, text: string, facts: object = {}): object {
  return { type: "status", data: { text, tag, ...facts } };
}

/** The action of the model that the data stands for; data that is none fails the test. */
export function readAction(data: object): Action {
  const value = JSON.parse(JSON.stringify(data)) as { type: string };
  const kind = value.type.startsWith("session/") ? "session" : "chat";
  const checked = channelModels[kind].checkAction(value);
  if (!checked.ok) throw new Error(checked.problem);
  return checked.value;
}
