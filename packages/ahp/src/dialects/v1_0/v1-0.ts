// The dialects of AHP from 0.5 to 1.0, which differ in the features that version.ts lists.
import { ROOT_URI, parseChannelUri } from "../../model/uri.ts";
import { stepChat, type ChatStyle } from "../ahp/chat.ts";
import { ignoresLost, readAhpAction, type ReadStyle } from "../ahp/read-action.ts";
import { sessionActionReaders } from "../ahp/session.ts";
import { readAhpRequest, readDispatchFrame, requestReaders } from "../ahp/request.ts";
import { sessionNotice, showRoot, stepRoot } from "../ahp/root.ts";
import { stepTerminal } from "../ahp/terminal.ts";
import { showTerminal } from "../ahp/terminal-state.ts";
import { showTurn } from "../ahp/turn.ts";
import { stepActions, withPrefix, type WireStep } from "../ahp/wire-action.ts";
import type {
  AnsweredDispatch,
  Dialect,
  DialectName,
  ReadDispatch,
  ShownChannel,
  ShownEntry,
  ShownTurns,
  Step,
  TurnPage,
  WireMessage,
  WireOrigin,
} from "../dialect.ts";
import { AHP_SEQ_STRIDE, wireSeq, wireSeqAfter } from "../sequence.ts";
import { showChat } from "./chat.ts";
import { rootStyle, showSession, stepSession } from "./session.ts";
import {
  style0_5_0,
  style0_5_1,
  style0_5_2,
  style0_6,
  style0_8,
  style0_9,
  style1_0,
  type VersionStyle,
} from "./version.ts";

const numbered = { seqStride: AHP_SEQ_STRIDE };
const readers = requestReaders({ subscription: "channel", session: "channel", terminal: "channel" });

/** AHP 1.x. */
export const v1_0: Dialect = makeDialect("v1_0", style1_0);

/** AHP 0.10, which one editor offers, is 0.9 on the wire. */
export const v0_10: Dialect = makeDialect("v0_10", style0_9);

/** AHP 0.9. */
export const v0_9: Dialect = makeDialect("v0_9", style0_9);

/** AHP 0.8. */
export const v0_8: Dialect = makeDialect("v0_8", style0_8);

/** AHP 0.7, which has all that the host sends in 0.8. */
export const v0_7: Dialect = makeDialect("v0_7", style0_8);

/** AHP 0.6. */
export const v0_6: Dialect = makeDialect("v0_6", style0_6);

/** AHP 0.5.2. */
export const v0_5_2: Dialect = makeDialect("v0_5_2", style0_5_2);

/** AHP 0.5.1. */
export const v0_5_1: Dialect = makeDialect("v0_5_1", style0_5_1);

/** AHP 0.5.0. */
export const v0_5_0: Dialect = makeDialect("v0_5_0", style0_5_0);

function makeDialect(name: DialectName, style: VersionStyle): Dialect {
  const root = rootStyle(style);
  const readStyle: ReadStyle = {
    chatPrefix: "chat/",
    sessionReaders: sessionActionReaders,
    unknownChatActions: unknownChatActions(style.chat),
  };
  return {
    name,
    rootUri: ROOT_URI,
    ...numbered,
    errorNumbers: style.errorNumbers,
    changesets: style.session.changesets,
    showUri: (uri) => uri,
    readUri: (uri) => uri,
    channelsOf: (uri) => [uri],
    showSnapshot: (uri, serverSeq, shown) => ({
      resource: uri,
      state: showState(shown, style, root),
      fromSeq: wireSeqAfter(numbered, serverSeq),
    }),
    showAction: (entry, step) => showAction(entry, step, style, root),
    showSummary: root.showSummary,
    showTurns: (page, serverSeq) => showTurns(page, serverSeq, style.chat),
    readDispatch,
    ignoresLost,
    readAction: (action, context) => readAhpAction(action, context, readStyle),
    answerDispatch,
    readRequest: (method, params) => readAhpRequest(readers, method, params),
  };
}

/** Actions of a chat that came later: a client that dispatched one would wait for an echo that it never gets. */
function unknownChatActions(chat: ChatStyle): ReadonlySet<string> {
  return new Set([
    ...(chat.hasTurnResume ? [] : ["turnResume"]),
    ...(chat.hasIsRead ? [] : ["isReadChanged"]),
    ...(chat.hasIsArchived ? [] : ["isArchivedChanged"]),
  ]);
}

type AnyRootStyle = ReturnType<typeof rootStyle>;

function showState(shown: ShownChannel, style: VersionStyle, root: AnyRootStyle): object {
  switch (shown.kind) {
    case "root":
      return showRoot(shown.state, root);
    case "session":
      return showSession(shown.state, style);
    case "chat":
      return showChat(shown.state, style.chat);
    case "terminal":
      return showTerminal(shown.state, shown.content, style.terminal);
  }
}

function showAction(
  entry: ShownEntry,
  step: Step,
  style: VersionStyle,
  root: AnyRootStyle,
): readonly WireMessage[] {
  const notice = step.kind === "root" ? sessionNotice(step, root) : undefined;
  if (!notice) return envelopes(entry, stepOfKind(step, style, root));
  const message = { method: `root/${notice.name}`, params: { channel: ROOT_URI, ...notice.params } };
  return [message, ...envelopes(entry, stepOfKind(step, style, root), 1)];
}

function stepOfKind(step: Step, style: VersionStyle, root: AnyRootStyle): WireStep {
  switch (step.kind) {
    case "root":
      return stepRoot(step, root);
    case "session":
      return stepSession(step, style);
    case "chat":
      return withPrefix("chat/", stepChat(step, style.chat));
    case "terminal":
      return stepTerminal(step, style.terminal);
  }
}

/** Older turns arrive as an action for the client that requested them, and the result is empty; in 0.5.0 they are the result. */
function showTurns({ chat, turns, nextCursor }: TurnPage, serverSeq: number, style: ChatStyle): ShownTurns {
  const shown = turns.map((turn) => showTurn(turn, chat, style));
  if (!style.hasTurnsLoaded) {
    return { messages: [], result: { turns: shown, hasMore: nextCursor !== undefined } };
  }
  const action = { type: "chat/turnsLoaded", turns: shown, turnsNextCursor: nextCursor };
  const params = { channel: chat, action, serverSeq: wireSeq(numbered, serverSeq, 0) };
  return { messages: [{ method: "action", params }], result: {} };
}

/** Some editors send what concerns a session to its default chat: it is meant for the session (E23). */
function readDispatch(params: unknown): ReadDispatch {
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
  { action, clientSeq, sentTo }: AnsweredDispatch,
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
