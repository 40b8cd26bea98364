// The dialect of our own clients: the model itself, with its version.
import { channelModels } from "../../model/channel.ts";
import { ROOT_URI } from "../../model/uri.ts";
import type { Action, ChannelKind } from "../../model/channel.ts";
import { checkShape, count, flag, object, optional, text, type Checked } from "../../model/shape.ts";
import { readDispatchFrame } from "../ahp/read-dispatch.ts";
import { readAhpRequest, requestReaders, type RequestReaders } from "../ahp/read-request.ts";
import type { ClientDispatch, Dialect, ShownChannel, ShownEntry, Step, WireMessage } from "../dialect.ts";
import { errorNumbers } from "../error-numbers.ts";
import { judge } from "../judge/judge.ts";
import { refuse } from "../judge/verdict.ts";
import type { AhpRequests } from "../request.ts";
import type { HoldfastEnvelope, HoldfastSnapshot } from "./wire.ts";

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
  showUri: (uri) => uri,
  readUri: (uri) => uri,
  channelsOf: (uri) => [uri],
  showSnapshot: (resource, serverSeq, shown) => showSnapshot(resource, serverSeq, shown),
  showAction,
  showSummary: (summary) => summary,
  showTurns: ({ turns, nextCursor }) => ({ messages: [], result: { turns, nextCursor } }),
  readDispatch,
  readAction: (action, context) => {
    const checked = checkAction(context.kind, action);
    return checked.ok ? judge(checked.value, context) : refuse(checked.problem);
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

function readDispatch(params: unknown): Checked<ClientDispatch> {
  const frame = readDispatchFrame(params);
  if (!frame.ok) return frame;
  const { clientSeq, action, channel } = frame.value;
  if (channel === undefined) return { ok: false, problem: "channel: expected a URI" };
  return { ok: true, value: { clientSeq, action, channel, sentTo: channel } };
}

function checkAction(kind: ChannelKind, value: unknown): Checked<Action> {
  return channelModels[kind].checkAction(value);
}
