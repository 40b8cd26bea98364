// All turns of a session as data: actions in, events out.
import { channelModels, type Action } from "@holdfast/ahp";
import { OPERATIONS, type TurnEvent } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { at, started, status, turnId } from "../testing/projection-case.ts";
import { SessionProjection } from "./session-projection.ts";

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

/** What is told of each action. */
function tell(projection: SessionProjection, actions: readonly AnyAction[]): (readonly TurnEvent[])[] {
  const told = actions.map((action) => projection.project(readAction(action)));
  for (const event of told.flat()) OPERATIONS.streamEvents.response.parse(event);
  return told;
}

describe("[A47] the projection of a session", () => {
  it("[A47] tells nothing of what happens between turns, and is at rest only there", () => {
    let isBusy = false;
    const projection = new SessionProjection(() => isBusy);
    const mode = { type: "session/modeChanged", modeId: "careful" };
    expect(tell(projection, [mode, { type: "chat/titleChanged", title: "Hi" }])).toEqual([[], []]);
    expect(projection).toMatchObject({ turnId: undefined, isIdle: true, isOver: false });
    isBusy = true;
    expect(projection.isIdle).toBe(false);
    expect(tell(projection, [started, mode])).toEqual([
      [begun],
      [status("current_mode_update", "Mode careful", { currentModeId: "careful" })],
    ]);
    isBusy = false;
    // What says that the turn is over is still to be read.
    expect(projection).toMatchObject({ turnId, isIdle: false });
    const [end] = tell(projection, [completed]);
    expect(end?.map(({ type }) => type)).toEqual(["done", "close"]);
    expect(tell(projection, [mode])).toEqual([[]]);
    expect(projection).toMatchObject({ turnId: undefined, isIdle: true, isOver: false });
  });

  it("[A47] tells a turn that goes on after it failed, and of it only what is new", () => {
    const projection = new SessionProjection(() => false);
    const resume = { type: "chat/turnResume", turnId };
    const [, , end, resumed, again] = tell(projection, [started, call, failed, resume, completed]);
    expect(end?.map(({ type }) => type)).toEqual(["tool_call", "error", "close"]);
    expect(resumed).toEqual([status("turn_resumed", "The turn goes on", { turnId })]);
    expect(again?.map(({ type }) => type)).toEqual(["done", "close"]);
    // A turn that came to its end does not.
    expect(tell(projection, [resume, completed])).toEqual([[], []]);
  });
});
