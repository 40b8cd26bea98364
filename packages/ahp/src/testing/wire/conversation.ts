// The reference reducer of AHP for turns and what waits, wherever a version keeps them.
import {
  fieldsOf,
  listOf,
  textOf,
  type ReferenceAction,
  type ReferenceVersion,
  type WireFields,
} from "./reference.ts";
import { cutOff, isWaiting, reduceToolCall } from "./tool-call.ts";

const ACTIVITY_BITS = 31;
const IS_READ = 32;
const IS_ARCHIVED = 64;

/** A chat after an action, whose type is given without its prefix; status and times are its own fields. */
export function reduceConversation(
  chat: WireFields,
  action: ReferenceAction,
  version: ReferenceVersion,
): WireFields {
  switch (action.type) {
    case "turnStarted":
      return startTurn(chat, action, version);
    case "delta":
      return changePart(chat, action, "markdown");
    case "reasoning":
      return changePart(chat, action, "reasoning");
    case "responsePart":
      return changeTurn(chat, action, (turn) =>
        withParts(turn, [...partsOf(turn), fieldsOf(action["part"])]),
      );
    case "usage":
      return changeTurn(chat, action, (turn) => ({ ...turn, usage: action["usage"] }));
    case "turnComplete":
      return endTurn(chat, action, version, "complete");
    case "turnCancelled":
      return endTurn(chat, action, version, "cancelled");
    case "error":
      return endTurn(chat, action, version, "error");
    case "turnResume":
      return resumeTurn(chat, action);
    case "truncated":
      return truncate(chat, action, version);
    case "turnsLoaded": {
      const known = new Set(listOf(chat["turns"]).map(({ id }) => id));
      const older = listOf(action["turns"]).filter(({ id }) => !known.has(id));
      const turns = [...older, ...listOf(chat["turns"])];
      return { ...chat, turns, turnsNextCursor: action["turnsNextCursor"] };
    }
    case "toolCallStart": {
      const { type: _type, turnId: _turnId, session: _session, ...toolCall } = action;
      const part = { kind: "toolCall", toolCall: { ...toolCall, status: "streaming" } };
      return changeTurn(chat, action, (turn) => withParts(turn, [...partsOf(turn), part]));
    }
    case "inputRequested":
    case "inputAnswerChanged":
    case "inputCompleted":
      return version.inputRequests === "parts"
        ? reduceInputPart(chat, action, version)
        : reduceInputList(chat, action, version);
    case "isReadChanged":
      return { ...chat, status: withFlag(chat, IS_READ, action["isRead"] === true) };
    case "isArchivedChanged":
      return { ...chat, status: withFlag(chat, IS_ARCHIVED, action["isArchived"] === true) };
    case "activityChanged":
      return { ...chat, activity: action["activity"] };
    case "backgroundWorkSet": {
      const work = fieldsOf(action["work"]);
      const list = listOf(chat["backgroundWork"]);
      const index = list.findIndex(({ id }) => id === work["id"]);
      return { ...chat, backgroundWork: index < 0 ? [...list, work] : list.with(index, work) };
    }
    case "backgroundWorkRemoved": {
      const left = listOf(chat["backgroundWork"]).filter(({ id }) => id !== action["id"]);
      return { ...chat, backgroundWork: left.length > 0 ? left : undefined };
    }
    default:
      return action.type.startsWith("toolCall")
        ? changeToolCall(chat, action, version)
        : reducePending(chat, action, version);
  }
}

function startTurn(chat: WireFields, action: ReferenceAction, version: ReferenceVersion): WireFields {
  const { messageField, now } = version;
  const activeTurn = {
    id: action["turnId"],
    startedAt: action["startedAt"],
    [messageField]: action[messageField],
    responseParts: [],
  };
  const queued = listOf(chat["queuedMessages"]).filter(({ id }) => id !== action["queuedMessageId"]);
  const isSteering = fieldsOf(chat["steeringMessage"])["id"] === action["queuedMessageId"];
  const next = {
    ...chat,
    activeTurn,
    modifiedAt: now ?? chat["modifiedAt"],
    steeringMessage:
      isSteering && action["queuedMessageId"] !== undefined ? undefined : chat["steeringMessage"],
    queuedMessages: queued.length > 0 ? queued : undefined,
  };
  const status = withFlag({ status: statusOf(next) }, IS_READ, false);
  return { ...next, status };
}

function endTurn(
  chat: WireFields,
  action: ReferenceAction,
  version: ReferenceVersion,
  state: string,
): WireFields {
  const active = fieldsOf(chat["activeTurn"]);
  if (chat["activeTurn"] === undefined || active["id"] !== action["turnId"]) return chat;
  const parts = partsOf(active).map((part) =>
    part["kind"] === "toolCall" ? { ...part, toolCall: cutOff(fieldsOf(part["toolCall"])) } : part,
  );
  if (state === "error" && version.failure === "part") parts.push(fieldsOf(action["part"]));
  const duration = action["duration"];
  const turn = {
    ...active,
    responseParts: parts,
    duration: typeof duration === "number" ? Math.max(0, duration) : undefined,
    state,
    error: version.failure === "field" ? action["error"] : undefined,
  };
  const next = {
    ...chat,
    turns: [...listOf(chat["turns"]), turn],
    activeTurn: undefined,
    inputRequests: undefined,
    modifiedAt: version.now ?? chat["modifiedAt"],
  };
  return { ...next, status: statusOf(next, state === "error") };
}

function resumeTurn(chat: WireFields, action: ReferenceAction): WireFields {
  const turns = listOf(chat["turns"]);
  const last = turns.at(-1);
  if (!last || chat["activeTurn"] !== undefined || last["id"] !== action["turnId"]) return chat;
  const { state: _state, duration: _duration, error: _error, ...activeTurn } = last;
  const next = { ...chat, turns: turns.slice(0, -1), activeTurn };
  return { ...next, status: statusOf(next) };
}

function truncate(chat: WireFields, action: ReferenceAction, { now }: ReferenceVersion): WireFields {
  const turns = listOf(chat["turns"]);
  const { turnId } = action;
  const index = turns.findIndex(({ id }) => id === turnId);
  if (turnId !== undefined && index < 0) return chat;
  const next: WireFields = {
    ...chat,
    turns: turnId === undefined ? [] : turns.slice(0, index + 1),
    turnsNextCursor: turnId === undefined ? undefined : chat["turnsNextCursor"],
    activeTurn: undefined,
    inputRequests: undefined,
    modifiedAt: now ?? chat["modifiedAt"],
  };
  return { ...next, status: statusOf(next) };
}

function changeToolCall(chat: WireFields, action: ReferenceAction, version: ReferenceVersion): WireFields {
  const changed = changeTurn(chat, action, (turn) =>
    withParts(
      turn,
      partsOf(turn).map((part) => {
        const call = fieldsOf(part["toolCall"]);
        const isMeant = part["kind"] === "toolCall" && call["toolCallId"] === action["toolCallId"];
        return isMeant ? { ...part, toolCall: reduceToolCall(call, action, version) } : part;
      }),
    ),
  );
  const isStatusKept = action.type === "toolCallDelta" || action.type === "toolCallContentChanged";
  return isStatusKept || changed["activeTurn"] === undefined
    ? changed
    : { ...changed, status: statusOf(changed) };
}

function reduceInputPart(chat: WireFields, action: ReferenceAction, { now }: ReferenceVersion): WireFields {
  if (chat["activeTurn"] === undefined) return chat;
  const turn = fieldsOf(chat["activeTurn"]);
  const parts = partsOf(turn);
  const id = action["requestId"] ?? fieldsOf(action["request"])["id"];
  const index = parts.findIndex(
    (part) =>
      part["kind"] === "inputRequest" &&
      part["response"] === undefined &&
      fieldsOf(part["request"])["id"] === id,
  );
  const existing = fieldsOf(parts[index]?.["request"]);
  if (index < 0 && action.type !== "inputRequested") return chat;
  const request = requestAfter(existing, action);
  const response = action.type === "inputCompleted" ? action["response"] : undefined;
  const part = { kind: "inputRequest", request, response };
  const activeTurn = withParts(turn, index < 0 ? [...parts, part] : parts.with(index, part));
  return afterInput({ ...chat, activeTurn, modifiedAt: now ?? chat["modifiedAt"] }, action);
}

function reduceInputList(chat: WireFields, action: ReferenceAction, version: ReferenceVersion): WireFields {
  const { now } = version;
  const requests = listOf(chat["inputRequests"]);
  const id = action["requestId"] ?? fieldsOf(action["request"])["id"];
  const index = requests.findIndex((request) => request["id"] === id);
  if (index < 0 && action.type !== "inputRequested") return chat;
  const changed =
    action.type === "inputCompleted"
      ? requests.toSpliced(index, 1)
      : index < 0
        ? [...requests, fieldsOf(action["request"])]
        : requests.with(index, requestAfter(fieldsOf(requests[index]), action));
  const inputRequests = changed.length > 0 ? changed : undefined;
  const next = { ...chat, inputRequests, modifiedAt: now ?? chat["modifiedAt"] };
  return afterInput(withAnsweredPart(next, requests[index], action, version), action);
}

/** In 0.5.2 an answered request becomes the last part of the running turn. */
function withAnsweredPart(
  chat: WireFields,
  request: WireFields | undefined,
  action: ReferenceAction,
  { inputRequests }: ReferenceVersion,
): WireFields {
  const isKept = inputRequests === "list-then-parts" && action.type === "inputCompleted";
  if (!isKept || request === undefined || chat["activeTurn"] === undefined) return chat;
  const turn = fieldsOf(chat["activeTurn"]);
  const answered = requestAfter(request, action);
  const part = { kind: "inputRequest", request: answered, response: action["response"] };
  return { ...chat, activeTurn: withParts(turn, [...partsOf(turn), part]) };
}

function requestAfter(request: WireFields, action: ReferenceAction): WireFields {
  const answers = fieldsOf(request["answers"]);
  if (action.type === "inputRequested") {
    const asked = fieldsOf(action["request"]);
    return { ...asked, answers: asked["answers"] ?? request["answers"] };
  }
  const { [textOf(action["questionId"])]: _old, ...others } = answers;
  const changed =
    action.type === "inputCompleted"
      ? { ...answers, ...fieldsOf(action["answers"]) }
      : action["answer"] === undefined
        ? others
        : { ...answers, [textOf(action["questionId"])]: action["answer"] };
  return { ...request, answers: Object.keys(changed).length > 0 ? changed : undefined };
}

function afterInput(chat: WireFields, action: ReferenceAction): WireFields {
  if (action.type === "inputAnswerChanged") return chat;
  const status = statusOf(chat);
  return {
    ...chat,
    status: action.type === "inputRequested" ? withFlag({ status }, IS_READ, false) : status,
  };
}

function changePart(chat: WireFields, action: ReferenceAction, kind: string): WireFields {
  return changeTurn(chat, action, (turn) => {
    const parts = partsOf(turn);
    const index = parts.findIndex((part) => {
      const id = part["kind"] === "toolCall" ? fieldsOf(part["toolCall"])["toolCallId"] : part["id"];
      return id === action["partId"];
    });
    const part = parts[index];
    if (part?.["kind"] !== kind) return turn;
    const content = textOf(part["content"]) + textOf(action["content"]);
    return withParts(turn, parts.with(index, { ...part, content }));
  });
}

function changeTurn(
  chat: WireFields,
  action: ReferenceAction,
  change: (turn: WireFields) => WireFields,
): WireFields {
  const turn = fieldsOf(chat["activeTurn"]);
  if (chat["activeTurn"] === undefined || turn["id"] !== action["turnId"]) return chat;
  return { ...chat, activeTurn: change(turn) };
}

function partsOf(turn: WireFields): WireFields[] {
  return [...listOf(turn["responseParts"])];
}

function withParts(turn: WireFields, responseParts: readonly WireFields[]): WireFields {
  return { ...turn, responseParts };
}

function statusOf(chat: WireFields, hasFailed = false): number {
  const flags = Number(chat["status"]) & ~ACTIVITY_BITS;
  if (hasFailed) return flags | 2;
  const parts = partsOf(fieldsOf(chat["activeTurn"]));
  const isAsking =
    listOf(chat["inputRequests"]).length > 0 ||
    parts.some(
      (part) =>
        (part["kind"] === "inputRequest" && part["response"] === undefined) ||
        (part["kind"] === "toolCall" && isWaiting(fieldsOf(part["toolCall"]))),
    );
  if (isAsking) return flags | 24;
  return flags | (chat["activeTurn"] === undefined ? 1 : 8);
}

function withFlag(chat: WireFields, flag: number, isSet: boolean): number {
  const status = Number(chat["status"]);
  return isSet ? status | flag : status & ~flag;
}

/** A chat after an action on what waits; the same object for an action that nobody knows. */
function reducePending(
  chat: WireFields,
  action: ReferenceAction,
  { messageField }: ReferenceVersion,
): WireFields {
  const queued = listOf(chat["queuedMessages"]);
  const isSteering = action["kind"] === "steering";
  switch (action.type) {
    case "pendingMessageSet": {
      const entry = { id: action["id"], [messageField]: action[messageField] };
      if (isSteering) return { ...chat, steeringMessage: entry };
      const index = queued.findIndex(({ id }) => id === entry.id);
      return { ...chat, queuedMessages: index < 0 ? [...queued, entry] : queued.with(index, entry) };
    }
    case "pendingMessageRemoved": {
      if (isSteering) {
        const isMeant = fieldsOf(chat["steeringMessage"])["id"] === action["id"];
        return isMeant ? { ...chat, steeringMessage: undefined } : chat;
      }
      const left = queued.filter(({ id }) => id !== action["id"]);
      return { ...chat, queuedMessages: left.length > 0 ? left : undefined };
    }
    case "queuedMessagesReordered": {
      if (queued.length === 0) return chat;
      const named = new Set(action["order"] as readonly unknown[]);
      const first = [...named].flatMap((id) => queued.find((message) => message["id"] === id) ?? []);
      return { ...chat, queuedMessages: [...first, ...queued.filter(({ id }) => !named.has(id))] };
    }
    case "draftChanged":
      return { ...chat, draft: action["draft"] };
    default:
      return chat;
  }
}
