// Puts together a dialect of AHP 1.0 or of a version that differs from it in a few features.
import { ROOT_URI, parseChannelUri } from "../../model/uri.ts";
import type { ChannelKind } from "../../model/channel.ts";
import type { Checked } from "../../model/shape.ts";
import type { ChatStyle } from "../ahp/chat-style.ts";
import { stepChat } from "../ahp/chat-step.ts";
import { readAhpAction, type ReadStyle } from "../ahp/read-action.ts";
import { readDispatchFrame } from "../ahp/read-dispatch.ts";
import { readAhpRequest, requestReaders } from "../ahp/read-request.ts";
import { sessionActionReaders } from "../ahp/read-session-action.ts";
import { sessionNotice, showRoot, stepRoot } from "../ahp/root.ts";
import { stepTerminal } from "../ahp/terminal-step.ts";
import { showTurn } from "../ahp/turn.ts";
import { withPrefix, type WireStep } from "../ahp/wire-step.ts";
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
} from "../dialect.ts";
import { errorNumbers } from "../error-numbers.ts";
import { AHP_SEQ_STRIDE, wireSeq, wireSeqAfter } from "../sequence.ts";
import { showChat } from "./chat.ts";
import { answerEnvelope, envelopes } from "./envelope.ts";
import { rootStyle } from "./root.ts";
import { showSession } from "./session.ts";
import { stepSession } from "./session-step.ts";
import { showTerminal, terminalStyle } from "./terminal.ts";

const numbered = { seqStride: AHP_SEQ_STRIDE };
const readStyle: ReadStyle = { chatPrefix: "chat/", sessionReaders: sessionActionReaders };
const readers = requestReaders({ subscription: "channel", session: "channel", terminal: "channel" });

/** A dialect from 0.9 on. */
export function makeDialect(name: DialectName, style: ChatStyle): Dialect {
  return {
    name,
    rootUri: ROOT_URI,
    ...numbered,
    errorNumbers,
    showUri: (uri) => uri,
    readUri: (uri) => uri,
    channelsOf: (uri: string, _kind: ChannelKind) => [uri],
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
    answerDispatch: answerEnvelope,
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
  if (!notice) return envelopes(numbered, entry, stepOfKind(step, style));
  const message = { method: `root/${notice.name}`, params: { channel: ROOT_URI, ...notice.params } };
  return [message, ...envelopes(numbered, entry, stepOfKind(step, style), 1)];
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

/** Older turns come as an action for the one who asked, and the answer is empty. */
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
