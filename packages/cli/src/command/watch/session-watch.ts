// Watches one session: what happened after a cursor, and everything from now on, turn after turn (C31).
import type { ActiveTurn } from "@holdfast/ahp";
import { HoldfastError, type EventStream, type Holdfast, type TurnEvent } from "@holdfast/sdk";
import type { SessionChannel } from "../session-channel.ts";
import type { TurnDisplay } from "../turn/turn-view.ts";

/** What watching a session needs. */
export interface SessionWatchParts {
  readonly api: Holdfast;
  readonly channel: SessionChannel;
  readonly display: TurnDisplay;
  readonly sessionKey: string;
  /** The cursor after which to begin; without it with the turn that runs, or the next one. */
  readonly after: string | undefined;
  /** Ends the watching. */
  readonly signal: AbortSignal;
}

/** Watches until the session is over or nobody wants to see more. */
export async function watchSession(parts: SessionWatchParts): Promise<void> {
  try {
    await watchTurns(parts);
  } catch (error) {
    // The session was there when the watching began; so it has been closed since, and that is an end like any other.
    const isClosed = error instanceof HoldfastError && error.code === "ACP_SESSION_NOT_FOUND";
    if (!isClosed && !parts.signal.aborted) throw error;
  }
}

async function watchTurns(parts: SessionWatchParts): Promise<void> {
  const { api, channel, sessionKey, signal } = parts;
  const isBusy = (): boolean => channel.chat.activeTurn !== undefined;
  let { after } = parts;
  while (!signal.aborted) {
    if (after === undefined) {
      await channel.until(isBusy, signal);
      const turn = channel.chat.activeTurn;
      if (turn !== undefined) after = await watchTurn(turn, parts);
    } else {
      // It tells what is new and ends with the turn that runs; so it is asked again when the next one does.
      after = await show(api.acpAgent.streamEvents(sessionKey, { after, signal }), parts, after);
      await channel.until(isBusy, signal);
    }
    if (channel.isOver && !isBusy()) return;
  }
}

/** One turn from its beginning, with the same words before it as where a cursor was given. */
async function watchTurn(turn: ActiveTurn, parts: SessionWatchParts): Promise<string | undefined> {
  const { id: turnId, startedAt, message } = turn;
  const { api, display, sessionKey, signal } = parts;
  const data = { tag: "turn_started", text: message.text, turnId, startedAt };
  await display.show({ type: "status", data }, undefined);
  return show(api.acpAgent.streamEvents(sessionKey, { turnId, signal }), parts, undefined);
}

/** Shows a stream to its end; gives the cursor after its last event. */
async function show(
  stream: EventStream<TurnEvent>,
  { display }: SessionWatchParts,
  after: string | undefined,
): Promise<string | undefined> {
  for await (const event of stream) {
    await display.show(event, stream.lastEventId);
    if (event.type === "close") await display.finish();
  }
  return stream.lastEventId ?? after;
}
