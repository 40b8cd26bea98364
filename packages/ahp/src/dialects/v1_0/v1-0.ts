// The dialects of AHP 1.0, 0.10 and 0.9, which differ in a few features of chats.
import type { Checked } from "../../model/shape.ts";
import { ROOT_URI, parseChannelUri } from "../../model/uri.ts";
import { stepChat, type ChatStyle } from "../ahp/chat.ts";
import { readAhpAction, type ReadStyle } from "../ahp/read-action.ts";
import { sessionActionReaders } from "../ahp/session.ts";
import { readAhpRequest, readDispatchFrame, requestReaders } from "../ahp/request.ts";
import { sessionNotice, showRoot, stepRoot } from "../ahp/root.ts";
import { stepTerminal } from "../ahp/terminal.ts";
import { showTurn } from "../ahp/turn.ts";
import { stepActions, withPrefix, type WireStep } from "../ahp/wire-action.ts";
import type {
  ClientDispatch,
  Dialect,
  DialectName,
  ShownChannel,
  ShownEntry,
  ShownTurns,
  Step,
  TurnPage,
  WireMessage,
  WireOrigin,
} from "../dialect.ts";
import { errorNumbers } from "../error-numbers.ts";
import { AHP_SEQ_STRIDE, wireSeq, wireSeqAfter } from "../sequence.ts";
import { chatStyle, showChat } from "./chat.ts";
import { rootStyle, showSession, stepSession } from "./session.ts";
import { showTerminal, terminalStyle } from "./terminal.ts";

const numbered = { seqStride: AHP_SEQ_STRIDE };
const readStyle: ReadStyle = { chatPrefix: "chat/", sessionReaders: sessionActionReaders };
const readers = requestReaders({ subscription: "channel", session: "channel", terminal: "channel" });

/** AHP 1.x. */
export const v1_0: Dialect = makeDialect("v1_0", chatStyle);

// Before 1.0 chats had no flags and no background work. 0.10, which one editor offers, is 0.9 on the wire.
const v0_9ChatStyle: ChatStyle = {
  ...chatStyle,
  hasIsRead: false,
  hasIsArchived: false,
  hasBackgroundWork: false,
};

/** AHP 0.9. */
export const v0_9: Dialect = makeDialect("v0_9", v0_9ChatStyle);

/** AHP 0.10. */
export const v0_10: Dialect = makeDialect("v0_10", v0_9ChatStyle);

function makeDialect(name: DialectName, style: ChatStyle): Dialect {
  return {
    name,
    rootUri: ROOT_URI,
    ...numbered,
    errorNumbers,
    showUri: (uri) => uri,
    readUri: (uri) => uri,
    channelsOf: (uri) => [uri],
    showSnapshot: (uri, serverSeq, shown) => ({
      resource: uri,
      state: showState(shown, style),
      fromSeq: wireSeqAfter(numbered, serverSeq),
    }),
    showAction: (entry, step) => showAction(entry, step, style),
    showSummary: rootStyle.showSummary,
    showTurns: (page, serverSeq) => showTurns(page, serverSeq, style),
    readDispatch,
    readAction: (action, context) => readAhpAction(action, context, readStyle),
    answerDispatch,
    readRequest: (method, params) => readAhpRequest(readers, method, params),
  };
}

function showState(shown: ShownChannel, style: ChatStyle): object {
  switch (shown.kind) {
    case "root":
      return showRoot(shown.state, rootStyle);
    case "session":
      return showSession(shown.state, style);
    case "chat":
      return showChat(shown.state, style);
    case "terminal":
      return showTerminal(shown.state, shown.content);
  }
}

function showAction(entry: ShownEntry, step: Step, style: ChatStyle): readonly WireMessage[] {
  const notice = step.kind === "root" ? sessionNotice(step, rootStyle) : undefined;
  if (!notice) return envelopes(entry, stepOfKind(step, style));
  const message = { method: `root/${notice.name}`, params: { channel: ROOT_URI, ...notice.params } };
  return [message, ...envelopes(entry, stepOfKind(step, style), 1)];
}

function stepOfKind(step: Step, style: ChatStyle): WireStep {
  switch (step.kind) {
    case "root":
      return stepRoot(step, rootStyle);
    case "session":
      return stepSession(step, style);
    case "chat":
      return withPrefix("chat/", stepChat(step, style));
    case "terminal":
      return stepTerminal(step, terminalStyle);
  }
}

/** Older turns arrive as an action for the client that requested them; the result is empty. */
function showTurns({ chat, turns, nextCursor }: TurnPage, serverSeq: number, style: ChatStyle): ShownTurns {
  const action = {
    type: "chat/turnsLoaded",
    turns: turns.map((turn) => showTurn(turn, chat, style)),
    turnsNextCursor: nextCursor,
  };
  const params = { channel: chat, action, serverSeq: wireSeq(numbered, serverSeq, 0) };
  return { messages: [{ method: "action", params }], result: {} };
}

/** Some editors send what concerns a session to its default chat: it is meant for the session (E23). */
function readDispatch(params: unknown): Checked<ClientDispatch> {
  const frame = readDispatchFrame(params);
  if (!frame.ok) return frame;
  const { clientSeq, action, channel: sentTo } = frame.value;
  if (sentTo === undefined) return { ok: false, problem: "channel: expected a URI" };
  const address = action.type.startsWith("session/") ? parseChannelUri(sentTo) : undefined;
  const channel = address?.kind === "default-chat" ? address.session : sentTo;
  return { ok: true, value: { clientSeq, action, sentTo, channel } };
}

interface WireEnvelope {
  readonly channel: string;
  readonly action: object;
  readonly serverSeq: number;
  /** Absent, never `null`, for the host's own actions. */
  readonly origin?: WireOrigin;
  readonly rejectionReason?: string;
}

/** One message for each action of a step, numbered from `firstIndex` on; only the author's echo carries the origin. */
function envelopes(
  { channel, serverSeq, origin }: ShownEntry,
  step: WireStep,
  firstIndex = 0,
): readonly WireMessage[] {
  return stepActions(step).map((action, index) => {
    const params: WireEnvelope = {
      channel,
      action,
      serverSeq: wireSeq(numbered, serverSeq, firstIndex + index),
      ...(origin &&
        action === step.main && { origin: { clientId: origin.clientId, clientSeq: origin.clientSeq } }),
    };
    return { method: "action", params };
  });
}

function answerDispatch(
  { action, clientSeq, sentTo }: ClientDispatch,
  clientId: string,
  serverSeq: number,
  rejectionReason?: string,
): WireMessage {
  const params: WireEnvelope = {
    channel: sentTo,
    action,
    serverSeq,
    origin: { clientId, clientSeq },
    ...(rejectionReason !== undefined && { rejectionReason }),
  };
  return { method: "action", params };
}
