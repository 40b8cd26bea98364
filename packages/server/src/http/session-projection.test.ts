// All turns of a session as data: actions in, events out.
import { channelModels, type Action } from "@holdfast/ahp";
import { OPERATIONS, type TurnEvent } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { at, started, status, turnId } from "../testing/projection-case.ts";
import { SessionProjection } from "./turn-projection.ts";

const failed = {
  type: "chat/error",
  turnId,
  endedAt: at,
  durationMs: 5,
  resumable: true,
  error: { code: "ACP_AGENT_EXITED", message: "The agent ended." },
};
const completed = { type: "chat/turnComplete", turnId, endedAt: at, durationMs: 5, stopReason: "end_turn" };
const call = {
  type: "chat/toolCallStart",
  turnId,
  toolCallId: "call-1",
  toolName: "bash",
  displayName: "Run echo",
  toolKind: "execute",
  contributor: { kind: "agent" },
};
const begun = status("turn_started", "hi", { turnId, startedAt: at });

type AnyAction = Readonly<Record<string, unknown>> & { readonly type: string };

function readAction(value: AnyAction): Action {
  const kind = value.type.startsWith("session/") ? "session" : "chat";
  const checked = channelModels[kind].checkAction(structuredClone(value));
  if (!checked.ok) throw new Error(checked.problem);
  return checked.value;
}

/** The events of each action. */
function project(projection: SessionProjection, actions: readonly AnyAction[]): (readonly TurnEvent[])[] {
  const events = actions.map((action) => projection.project(readAction(action)));
  for (const event of events.flat()) OPERATIONS.streamEvents.response.parse(event);
  return events;
}

describe("[A47] the projection of a session", () => {
  it("[A47] has no events for what happens between turns, and is idle only there", () => {
    let isBusy = false;
    const projection = new SessionProjection(() => isBusy);
    const mode = { type: "session/modeChanged", modeId: "careful" };
    expect(project(projection, [mode, { type: "chat/titleChanged", title: "Hi" }])).toEqual([[], []]);
    expect(projection).toMatchObject({ turnId: undefined, isIdle: true, isOver: false });
    isBusy = true;
    expect(projection.isIdle).toBe(false);
    expect(project(projection, [started, mode])).toEqual([
      [begun],
      [status("current_mode_update", "Mode careful", { currentModeId: "careful" })],
    ]);
    isBusy = false;
    // The action that ends the turn is still unread.
    expect(projection).toMatchObject({ turnId, isIdle: false });
    const [end] = project(projection, [completed]);
    expect(end?.map(({ type }) => type)).toEqual(["done", "close"]);
    expect(project(projection, [mode])).toEqual([[]]);
    expect(projection).toMatchObject({ turnId: undefined, isIdle: true, isOver: false });
  });

  it("[A47] reports a turn that is resumed after it failed, and only its new events", () => {
    const projection = new SessionProjection(() => false);
    const resume = { type: "chat/turnResume", turnId };
    const [, , end, resumed, again] = project(projection, [started, call, failed, resume, completed]);
    expect(end?.map(({ type }) => type)).toEqual(["tool_call", "error", "close"]);
    expect(resumed).toEqual([status("turn_resumed", "The turn continues", { turnId })]);
    expect(again?.map(({ type }) => type)).toEqual(["done", "close"]);
    // A turn that came to its end does not.
    expect(project(projection, [resume, completed])).toEqual([[], []]);
  });
});
