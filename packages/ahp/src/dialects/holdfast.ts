// The dialect of Holdfast's own clients: the model itself, with its version.
import { channelModels, type Action, type ChannelKind } from "../model/channel.ts";
import { checkShape, count, flag, object, optional, text, type Checked } from "../model/shape.ts";
import { ROOT_URI } from "../model/uri.ts";
import {
  readAhpRequest,
  readDispatchFrame,
  requestReaders,
  type AhpRequests,
  type RequestReaders,
} from "./ahp/request.ts";
import type { TerminalPart } from "./ahp/terminal.ts";
import type {
  Dialect,
  ReadDispatch,
  ShownChannel,
  ShownEntry,
  Step,
  WireMessage,
  WireOrigin,
  WireSnapshot,
} from "./dialect.ts";
import { errorNumbers } from "./error-numbers.ts";

const listSessionsShape = object<AhpRequests["listSessions"]>({
  limit: optional(count),
  cursor: optional(text),
  includeClosed: optional(flag),
});

const readers: RequestReaders = {
  ...requestReaders({ subscription: "channel", session: "channel", terminal: "channel" }),
  listSessions: (params) => checkShape(listSessionsShape, params),
};

/** The model as it is: one message for each action, with the number of its entry. */
export const holdfast: Dialect = {
  name: "holdfast",
  rootUri: ROOT_URI,
  seqStride: 1,
  errorNumbers,
  // The app API has the changes.
  changesets: "none",
  showUri: (uri) => uri,
  readUri: (uri) => uri,
  channelsOf: (uri) => [uri],
  showSnapshot: (resource, serverSeq, shown) => showSnapshot(resource, serverSeq, shown),
  showAction,
  showSummary: (summary) => summary,
  showTurns: ({ turns, nextCursor }) => ({ messages: [], result: { turns, nextCursor } }),
  readDispatch,
  ignoresLost: () => false,
  readAction: (action, context) => {
    const checked = checkAction(context.kind, action);
    return checked.ok ? { ok: true, action: checked.value } : { ok: false, reason: checked.problem };
  },
  answerDispatch: ({ action, clientSeq, sentTo }, clientId, serverSeq, rejectionReason) => ({
    method: "action",
    params: {
      channel: sentTo,
      action,
      serverSeq,
      origin: { clientId, clientSeq },
      ...(rejectionReason === undefined ? { isUnchanged: true } : { rejectionReason }),
    },
  }),
  readRequest: (method, params) => readAhpRequest(readers, method, params),
};

function showSnapshot(resource: string, serverSeq: number, shown: ShownChannel): HoldfastSnapshot {
  const { state } = shown;
  const content = shown.kind === "terminal" ? { content: shown.content } : {};
  return { resource, state, fromSeq: serverSeq, ...content };
}

function showAction({ channel, serverSeq, origin }: ShownEntry, { action }: Step): readonly WireMessage[] {
  const params: HoldfastEnvelope = {
    channel,
    action,
    serverSeq,
    ...(origin && { origin: { clientId: origin.clientId, clientSeq: origin.clientSeq } }),
  };
  return [{ method: "action", params }];
}

function readDispatch(params: unknown): ReadDispatch {
  const frame = readDispatchFrame(params);
  if (!frame.ok) return frame;
  const { clientSeq, action, channel } = frame.value;
  if (channel === undefined) return { ok: false, problem: "channel: expected a URI" };
  return { ok: true, value: { clientSeq, action, channel, sentTo: channel } };
}

function checkAction(kind: ChannelKind, value: unknown): Checked<Action> {
  return channelModels[kind].checkAction(value);
}

/** An action of the model on its way to its viewers, or back to its author. */
export interface HoldfastEnvelope {
  readonly channel: string;
  readonly action: Action;
  readonly serverSeq: number;
  readonly origin?: WireOrigin;
  readonly rejectionReason?: string;
  /** Set on the echo of an action that changed nothing: it goes to the author alone, and no entry has its number. */
  readonly isUnchanged?: true;
}

/** A state of the model; for a terminal, with what it shows. */
export interface HoldfastSnapshot extends WireSnapshot {
  readonly content?: readonly TerminalPart[];
}
