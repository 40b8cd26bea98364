// `holdfast watch`: what happens in a session, or on the whole host, as it happens (C31, C32).
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import type { ActiveTurn } from "@holdfast/ahp";
import type { AhpClient } from "@holdfast/ahp/client";
import { type Holdfast, HoldfastError } from "@holdfast/sdk";
import type { HostLink } from "../link/host-link.ts";
import { type AddCommand, type CommandContext, hostCommand, wholeNumber } from "./command.ts";
import { SessionChannel } from "./session-channel.ts";
import { resolveSession } from "./session-name.ts";
import { Screen } from "./turn/screen.ts";
import { type TurnDisplay, TurnLines, TurnView } from "./turn/turn-view.ts";
import { changeLine, type HostChange, watchHost } from "./host-watch.ts";

interface WatchOptions {
  readonly after?: number;
}

export const addWatch: AddCommand = (program, run) => {
  hostCommand(program, "watch [session]", "follow a session, or the whole host, until Ctrl-C")
    .option(
      "--after <cursor>",
      "also print the session's events since this cursor of --json; 0 for all events",
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .action(
      run(async (context, word: string | undefined, { after }: WatchOptions) => {
        const watching = new AbortController();
        const stop = (): void => watching.abort();
        // Watching has no other end, so this one is no error.
        process.once("SIGINT", stop);
        const signal = AbortSignal.any([watching.signal, context.console.unread]);
        if (word === undefined) await watchAll(context, signal);
        else await watchOne(context, word, after?.toString(), signal);
      }),
    );
};

async function watchOne(
  context: CommandContext,
  word: string,
  after: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { console } = context;
  const link = await context.host({ mayStart: false });
  const { api } = link;
  await reportSilence(context, link);
  const sessionKey = await resolveSession(api, word);
  const channel = await SessionChannel.open(link, sessionKey);
  const display = console.json
    ? new TurnLines(console)
    : new TurnView(new Screen(console, "result"), { isLive: after === undefined });
  const client = await link.ahp({ waits: true });
  const watching = watchSession({ api, client, channel, display, sessionKey, after, signal });
  await unlessRefused(link, signal, watching);
  await display.finish();
  if (!signal.aborted) console.note("The session is closed.");
}

/** Reports when the host stops responding, and when it is back; watching waits for it (C224). */
async function reportSilence({ console }: CommandContext, link: HostLink): Promise<void> {
  const client = await link.ahp({ waits: true });
  let isSilent = false;
  client.listen((event) => {
    if (event.type !== "status") return;
    const { status } = event.status;
    if (status === "not-responding" && !isSilent) console.warn("The host is not responding. Waiting for it.");
    if (status === "connected" && isSilent) console.warn("The host responds again.");
    if (status === "not-responding" || status === "connected") isSilent = status === "not-responding";
  });
}

async function watchAll(context: CommandContext, signal: AbortSignal): Promise<void> {
  const { console } = context;
  const link = await context.host({ mayStart: false });
  await reportSilence(context, link);
  const print = async (change: HostChange): Promise<void> => {
    const at = new Date();
    if (console.json) await console.printJson({ at: at.toISOString(), ...change });
    else await console.print(changeLine(change, at, console.paint));
  };
  await unlessRefused(link, signal, watchHost(link, print, signal));
}

/** Waits for the end of watching; fails when the host turns this client away for good, as when its key is revoked. */
async function unlessRefused(link: HostLink, signal: AbortSignal, watching: Promise<void>): Promise<void> {
  const client = await link.ahp({ waits: true });
  const refused = new Promise<void>((resolve) => {
    client.listen((event) => {
      if (event.type === "status" && event.status.status === "closed") resolve();
    });
  });
  await Promise.race([watching, refused]);
  if (client.status.status === "closed" && !signal.aborted) throw client.status.cause;
}

interface SessionWatchParts {
  readonly api: Holdfast;
  readonly client: AhpClient;
  readonly channel: SessionChannel;
  readonly display: TurnDisplay;
  readonly sessionKey: string;
  /** The cursor after which to begin; without it with the turn that runs, or the next one. */
  readonly after: string | undefined;
  /** Ends the watching. */
  readonly signal: AbortSignal;
}

/** Watches until the session is over or nobody wants to see more. */
async function watchSession(parts: SessionWatchParts): Promise<void> {
  try {
    await watchTurns(parts);
  } catch (error) {
    // The session was there when the watching began; so it has been closed since, and that is an end like any other.
    const isClosed = error instanceof HoldfastError && error.code === "ACP_SESSION_NOT_FOUND";
    if (!isClosed && !parts.signal.aborted) throw error;
  }
}

async function watchTurns(parts: SessionWatchParts): Promise<void> {
  const { channel, signal } = parts;
  const isBusy = (): boolean => channel.chat.activeTurn !== undefined;
  let { after } = parts;
  while (!signal.aborted) {
    if (after === undefined) {
      await channel.until(isBusy, signal);
      const turn = channel.chat.activeTurn;
      if (turn !== undefined) after = await watchTurn(turn, parts);
    } else {
      // The stream has what is new and ends with the running turn; so it is opened again for the next one.
      after = await show({ after }, parts);
      await channel.until(isBusy, signal);
    }
    if (channel.isOver && !isBusy()) return;
  }
}

/** One turn from its beginning, with the same words before it as where a cursor was given. */
async function watchTurn(turn: ActiveTurn, parts: SessionWatchParts): Promise<string | undefined> {
  const { id: turnId, startedAt, message } = turn;
  const data = { tag: "turn_started", text: message.text, turnId, startedAt };
  await parts.display.show({ type: "status", data }, undefined);
  return show({ turnId }, parts);
}

/** Where a stream of events begins: with a turn, or after a cursor. */
interface StreamStart {
  readonly turnId?: string;
  readonly after?: string | undefined;
}

/** Shows the events from a start on; gives the cursor after the last one. A host that is away is waited for (C888). */
async function show(start: StreamStart, parts: SessionWatchParts): Promise<string | undefined> {
  const { api, client, display, sessionKey, signal } = parts;
  let { after } = start;
  for (;;) {
    const stream = api.acpAgent.streamEvents(sessionKey, { ...start, after, signal });
    try {
      for await (const event of stream) {
        await display.show(event, stream.lastEventId);
        if (event.type === "close") await display.finish();
      }
      return stream.lastEventId;
    } catch (error) {
      if (!isAway(error) || signal.aborted) throw error;
    }
    after = stream.lastEventId;
    await untilConnected(client, signal);
  }
}

const awayCodes: ReadonlySet<string> = new Set(["CONNECTION_FAILED", "HOST_NOT_RESPONDING", "STREAM_BROKEN"]);

function isAway(error: unknown): boolean {
  return error instanceof HoldfastError && awayCodes.has(error.code);
}

/** At least this long: the AHP connection may be open although requests fail. */
const retryMs = 500;

/** Waits until the host is back, or nobody waits for it any more. */
async function untilConnected(client: AhpClient, signal: AbortSignal): Promise<void> {
  await delay(retryMs, undefined, { signal }).catch(() => undefined);
  await new Promise<void>((resolve) => {
    const stop = client.listen(() => look());
    const look = (): void => {
      const { status } = client.status;
      if (status !== "connected" && status !== "closed" && !signal.aborted) return;
      stop();
      signal.removeEventListener("abort", look);
      resolve();
    };
    signal.addEventListener("abort", look);
    look();
  });
}
