// The dialect of the seed: AHP 0.1.0, also known as version 1.
import { defaultChatUri, parseChannelUri } from "../../model/uri.ts";
import { makeId } from "../../model/ids.ts";
import { stepChat } from "../ahp/chat.ts";
import { ignoresLost, readAhpAction } from "../ahp/read-action.ts";
import { readAhpRequest } from "../ahp/request.ts";
import { sessionNotice, showRoot, stepRoot } from "../ahp/root.ts";
import { stepTerminal } from "../ahp/terminal.ts";
import { showTerminal } from "../ahp/terminal-state.ts";
import { showTurn } from "../ahp/turn.ts";
import { stepActions, withPrefix, type WireStep } from "../ahp/wire-action.ts";
import type {
  AnsweredDispatch,
  Dialect,
  ShownChannel,
  ShownEntry,
  ShownTurns,
  Step,
  TurnPage,
  WireMessage,
  WireOrigin,
} from "../dialect.ts";
import { oldErrorNumbers } from "../error-numbers.ts";
import { AHP_SEQ_STRIDE, wireSeq, wireSeqAfter } from "../sequence.ts";
import { readSeedDispatch, seedReadStyle, seedRequestReaders } from "./read.ts";
import { seedChatStyle, seedRootStyle, showSeedSession, stepSeedSession } from "./session.ts";
import { seedTerminalStyle } from "./terminal.ts";
import { SEED_ROOT_URI, readSeedUri, showSeedUri } from "./uri.ts";

/** The envelope of every action, which names its channel itself. */
interface SeedEnvelope {
  readonly action: object;
  readonly serverSeq: number;
  readonly origin?: WireOrigin;
  readonly rejectionReason?: string;
}

const numbered = { seqStride: AHP_SEQ_STRIDE };

/** AHP 0.1.0. */
export const v0_1: Dialect = {
  name: "v0_1",
  rootUri: SEED_ROOT_URI,
  ...numbered,
  errorNumbers: oldErrorNumbers,
  changesets: "none",
  showUri: showSeedUri,
  readUri: readSeedUri,
  channelsOf: (uri, kind) => {
    if (kind === "chat") return [];
    return kind === "session" ? [uri, defaultChatUri(makeId("session URI", uri))] : [uri];
  },
  showSnapshot: (uri, serverSeq, shown) => {
    const state = showState(shown);
    return state && { resource: showSeedUri(uri), state, fromSeq: wireSeqAfter(numbered, serverSeq) };
  },
  showAction,
  showSummary: seedRootStyle.showSummary,
  showTurns,
  readDispatch: readSeedDispatch,
  ignoresLost,
  readAction: (action, context) => readAhpAction(action, context, seedReadStyle),
  answerDispatch,
  readRequest: (method, params) => readAhpRequest(seedRequestReaders, method, params),
};

function showState(shown: ShownChannel): object | undefined {
  switch (shown.kind) {
    case "root":
      return showRoot(shown.state, seedRootStyle);
    case "session":
      return showSeedSession(shown.state, shown.chat);
    case "chat":
      return undefined;
    case "terminal":
      return showTerminal(shown.state, shown.content, seedTerminalStyle);
  }
}

function showAction(entry: ShownEntry, step: Step): readonly WireMessage[] {
  switch (step.kind) {
    case "root": {
      const notice = sessionNotice(step, seedRootStyle);
      const actions = stepRoot(step, seedRootStyle);
      if (!notice) return envelopes(entry, actions, {});
      const notification = { type: `notify/${notice.name}`, ...notice.params };
      return [{ method: "notification", params: { notification } }, ...envelopes(entry, actions, {}, 1)];
    }
    case "session":
      return envelopes(entry, stepSeedSession(step), { session: entry.channel });
    case "chat": {
      const address = parseChannelUri(entry.channel);
      // A chat that is not a session's first does not exist for the seed.
      if (address?.kind !== "default-chat") return [];
      const chatStep = withPrefix("session/", stepChat(step, seedChatStyle));
      return envelopes(entry, chatStep, { session: address.session });
    }
    case "terminal":
      return envelopes(entry, stepTerminal(step, seedTerminalStyle), {
        terminal: showSeedUri(entry.channel),
      });
  }
}

function envelopes(
  { serverSeq, origin }: ShownEntry,
  step: WireStep,
  channel: object,
  firstIndex = 0,
): readonly WireMessage[] {
  return stepActions(step).map((action, index) => {
    const params: SeedEnvelope = {
      action: { ...action, ...channel },
      serverSeq: wireSeq(numbered, serverSeq, firstIndex + index),
      ...(origin &&
        action === step.main && { origin: { clientId: origin.clientId, clientSeq: origin.clientSeq } }),
    };
    return { method: "action", params };
  });
}

/** Older turns are the result itself. */
function showTurns({ chat, turns, nextCursor }: TurnPage): ShownTurns {
  const shown = turns.map((turn) => showTurn(turn, chat, seedChatStyle));
  return { messages: [], result: { turns: shown, hasMore: nextCursor !== undefined } };
}

function answerDispatch(
  { action, clientSeq }: AnsweredDispatch,
  clientId: string,
  serverSeq: number,
  rejectionReason?: string,
): WireMessage {
  const params: SeedEnvelope = {
    action,
    serverSeq,
    origin: { clientId, clientSeq },
    ...(rejectionReason !== undefined && { rejectionReason }),
  };
  return { method: "action", params };
}
