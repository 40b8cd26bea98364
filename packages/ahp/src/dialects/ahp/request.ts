// Requests and dispatches of AHP clients: their params in the model's terms, and readers for each version.
import { reader, type ActionReader, type WireAction } from "./wire-action.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ActiveClient } from "../../model/session/session.ts";
import {
  checkShape,
  count,
  jsonObject,
  list,
  number,
  object,
  optional,
  text,
  type Checked,
  type Shape,
} from "../../model/shape.ts";
import type { ReadDispatch } from "../dialect.ts";
import type { TerminalClaim } from "../../model/terminal/terminal.ts";
import { DEFAULT_MODEL_ID } from "./message.ts";
import { resourceShapes, type ResourceRequests } from "./resource-request.ts";
import { activeClientShape, plainClient, type WrittenClient } from "./session.ts";
import { readClaim, writtenClaimShape, type WrittenClaim } from "./terminal.ts";

interface OfChannel {
  readonly channel: string;
}

/** The params of each request whose form depends on the dialect; URIs are as the client wrote them. */
export interface AhpRequests extends ResourceRequests {
  readonly reconnect: {
    readonly clientId: string;
    readonly lastSeenServerSeq: number;
    readonly subscriptions: readonly string[];
  };
  readonly subscribe: OfChannel & {
    /** How long output may be held back to be joined; 0: not at all. */
    readonly maxLatencyMs?: number;
    /** How many of the last turns are wanted; absent: all that are kept. */
    readonly turns?: number;
  };
  readonly unsubscribe: OfChannel;
  readonly listSessions: {
    readonly limit?: number;
    readonly cursor?: string;
    /** Whether to list closed sessions that are still kept; only Holdfast's dialect can ask for them. */
    readonly includeClosed?: boolean;
  };
  readonly createSession: OfChannel & {
    readonly provider?: string;
    readonly workingDirectories: readonly string[];
    readonly model?: string;
    readonly config?: JsonObject;
    readonly activeClient?: ActiveClient;
    /** Names the start in `root/progress`. */
    readonly progressToken?: string;
  };
  readonly disposeSession: OfChannel;
  /** Not part of AHP: every dialect offers it under this name. */
  readonly reopenSession: OfChannel;
  readonly resolveSessionConfig: {
    readonly provider?: string;
    readonly workingDirectory?: string;
    readonly config?: JsonObject;
  };
  readonly authenticate: { readonly resource: string; readonly token: string };
  readonly sessionConfigCompletions: { readonly property: string; readonly query?: string };
  /** The channel is a session. */
  readonly createChat: OfChannel & { readonly chat: string };
  /** The channel is a chat. */
  readonly disposeChat: OfChannel;
  /** The channel is a chat. */
  readonly fetchTurns: OfChannel & { readonly cursor?: string; readonly limit?: number };
  /** The channel is a session or one of its chats. */
  readonly completions: OfChannel & { readonly kind: string; readonly text: string; readonly offset: number };
  readonly createTerminal: OfChannel & {
    readonly claim: TerminalClaim;
    readonly name?: string;
    readonly cwd?: string;
    readonly cols?: number;
    readonly rows?: number;
  };
  readonly disposeTerminal: OfChannel;
  /** The channel is a changeset. */
  readonly invokeChangesetOperation: OfChannel & {
    readonly operationId: string;
    readonly target?: { readonly kind: string; readonly resource: string };
  };
}

/** The requests whose form depends on the dialect; the others, such as `ping`, have the same one in all. */
export type RequestMethod = keyof AhpRequests;

/** The field that names the channel, which in the seed depends on what is asked. */
type ChannelField = "channel" | "resource" | "session" | "terminal";

export type RequestReaders = {
  readonly [Method in RequestMethod]: ActionReader<unknown, AhpRequests[Method]>;
};

/** The names of the channel's field, by what a request is about. */
interface RequestNames {
  readonly subscription: ChannelField;
  readonly session: ChannelField;
  readonly terminal: ChannelField;
}

/** Readers for a version; a session of 0.6 and before has one folder, and in the seed a model. */
export function requestReaders(names: RequestNames): RequestReaders {
  const { subscription, session, terminal } = names;
  return {
    ...connectionReaders,
    subscribe: withChannel(subscription, subscribeShape, ({ delivery, view }) => ({
      maxLatencyMs: delivery?.maxLatencyMs,
      turns: view?.turns,
    })),
    unsubscribe: withChannel(subscription, object({}), () => ({})),
    createSession: withChannel(session, createSessionShape, (fields) => ({
      provider: fields.provider,
      workingDirectories:
        fields.workingDirectories ?? (fields.workingDirectory === undefined ? [] : [fields.workingDirectory]),
      model: fields.model?.id === DEFAULT_MODEL_ID ? undefined : fields.model?.id,
      config: fields.config,
      activeClient: fields.activeClient && plainClient(fields.activeClient),
      progressToken: fields.progressToken,
    })),
    disposeSession: withChannel(session, object({}), () => ({})),
    reopenSession: withChannel(session, object({}), () => ({})),
    createChat: withChannel(session, object({ chat: text }), ({ chat }) => ({ chat })),
    disposeChat: withChannel("channel", object({}), () => ({})),
    fetchTurns: withChannel(session, fetchTurnsShape, ({ cursor, before, limit }) => ({
      cursor: cursor ?? before,
      limit,
    })),
    completions: withChannel(session, completionsShape, ({ kind, text: written, offset }) => ({
      kind,
      text: written,
      offset,
    })),
    createTerminal: withChannel(
      terminal,
      createTerminalShape,
      ({ claim: written, name, cwd, cols, rows }) => {
        const claim = readClaim(written);
        return typeof claim === "string" ? claim : { claim, name, cwd, cols, rows };
      },
    ),
    disposeTerminal: withChannel(terminal, object({}), () => ({})),
    invokeChangesetOperation: withChannel("channel", operationShape, ({ operationId, target }) => ({
      operationId,
      target,
    })),
  };
}

/** Reads the params of a request; clients leave out params that would be empty. */
export function readAhpRequest<Method extends RequestMethod>(
  readers: RequestReaders,
  method: Method,
  params: unknown,
): Checked<AhpRequests[Method]> {
  return readers[method](params ?? {}, undefined);
}

const subscribeShape = object<{ delivery?: { maxLatencyMs?: number }; view?: { turns?: number } }>({
  delivery: optional(object<{ maxLatencyMs?: number }>({ maxLatencyMs: optional(number) })),
  view: optional(object<{ turns?: number }>({ turns: optional(count) })),
});

interface WrittenSession {
  readonly provider?: string;
  readonly workingDirectories?: readonly string[];
  readonly workingDirectory?: string;
  readonly model?: { readonly id: string };
  readonly config?: JsonObject;
  readonly activeClient?: WrittenClient;
  readonly progressToken?: string;
}

const createSessionShape = object<WrittenSession>({
  provider: optional(text),
  workingDirectories: optional(list(text)),
  workingDirectory: optional(text),
  model: optional(object({ id: text })),
  config: optional(jsonObject),
  activeClient: optional(activeClientShape),
  progressToken: optional(text),
});

const fetchTurnsShape = object<{ cursor?: string; before?: string; limit?: number }>({
  cursor: optional(text),
  before: optional(text),
  limit: optional(count),
});

const completionsShape = object<{ kind: string; text: string; offset: number }>({
  kind: text,
  text,
  offset: count,
});

interface WrittenTerminal {
  readonly claim: WrittenClaim;
  readonly name?: string;
  readonly cwd?: string;
  readonly cols?: number;
  readonly rows?: number;
}

const createTerminalShape = object<WrittenTerminal>({
  claim: writtenClaimShape,
  name: optional(text),
  cwd: optional(text),
  cols: optional(number),
  rows: optional(number),
});

interface WrittenOperation {
  readonly operationId: string;
  readonly target?: { readonly kind: string; readonly resource: string };
}

const operationShape = object<WrittenOperation>({
  operationId: text,
  target: optional(object({ kind: text, resource: text })),
});

const connectionReaders: Pick<
  RequestReaders,
  | "reconnect"
  | "listSessions"
  | "resolveSessionConfig"
  | "authenticate"
  | "sessionConfigCompletions"
  | keyof ResourceRequests
> = {
  reconnect: plain(
    object<AhpRequests["reconnect"]>({ clientId: text, lastSeenServerSeq: count, subscriptions: list(text) }),
  ),
  listSessions: plain(
    object<{ limit?: number; cursor?: string }>({ limit: optional(count), cursor: optional(text) }),
  ),
  resolveSessionConfig: plain(
    object<AhpRequests["resolveSessionConfig"]>({
      provider: optional(text),
      workingDirectory: optional(text),
      config: optional(jsonObject),
    }),
  ),
  authenticate: plain(object<AhpRequests["authenticate"]>({ resource: text, token: text })),
  sessionConfigCompletions: plain(
    object<AhpRequests["sessionConfigCompletions"]>({ property: text, query: optional(text) }),
  ),
  resourceRead: plain(resourceShapes.resourceRead),
  resourceList: plain(resourceShapes.resourceList),
  resourceResolve: plain(resourceShapes.resourceResolve),
  resourceWrite: plain(resourceShapes.resourceWrite),
  resourceMkdir: plain(resourceShapes.resourceMkdir),
  resourceCopy: plain(resourceShapes.resourceCopy),
  resourceMove: plain(resourceShapes.resourceMove),
  resourceDelete: plain(resourceShapes.resourceDelete),
  resourceRequest: plain(resourceShapes.resourceRequest),
  createResourceWatch: plain(resourceShapes.createResourceWatch),
};

function plain<Fields>(shape: Parameters<typeof checkShape<Fields>>[0]): ActionReader<unknown, Fields> {
  return (params) => checkShape(shape, params);
}

function withChannel<Fields, Rest extends object>(
  field: ChannelField,
  shape: Parameters<typeof checkShape<Fields>>[0],
  translate: (fields: Fields) => Rest | string,
): ActionReader<unknown, Rest & { readonly channel: string }> {
  const read = reader(shape, translate);
  return (params, context) => {
    const checked = read(params, context);
    if (!checked.ok) return checked;
    const channel = fieldOf(params, field);
    return channel === undefined
      ? { ok: false, problem: `${field}: expected a URI` }
      : { ok: true, value: { ...checked.value, channel } };
  };
}

function fieldOf(params: unknown, field: string): string | undefined {
  if (typeof params !== "object" || params === null) return undefined;
  const value = new Map<string, unknown>(Object.entries(params)).get(field);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The frame, before its channel is known. */
interface WrittenDispatch {
  readonly clientSeq: number;
  readonly channel?: string;
  readonly action: WireAction;
}

const actionShape: Shape<WireAction> = object<{ type: string }>({
  type: text,
});

const dispatchShape = object<WrittenDispatch>({
  clientSeq: count,
  channel: optional(text),
  action: actionShape,
});

const answerableShape = object<{ clientSeq: number; action: JsonObject }>({
  clientSeq: count,
  action: jsonObject,
});

/**
 * The number, the channel if there is one, and an action of which only the type is known. What is wrong in one of them
 * can be answered if the others name the action and, where `needsChannel`, the channel.
 */
export function readDispatchFrame(
  params: unknown,
  needsChannel = true,
): Extract<ReadDispatch, { ok: false }> | { readonly ok: true; readonly value: WrittenDispatch } {
  const checked = checkShape(dispatchShape, params);
  if (checked.ok) return checked;
  const answerable = checkShape(answerableShape, params);
  if (!answerable.ok) return checked;
  const { clientSeq, action } = answerable.value;
  const sentTo = fieldOf(params, "channel") ?? (needsChannel ? undefined : "");
  return sentTo === undefined ? checked : { ...checked, answered: { clientSeq, action, sentTo } };
}

/** The requests that the host has a handler for, which the compiler checks. */
export const requestMethods: readonly string[] = Object.keys(
  requestReaders({ subscription: "channel", session: "channel", terminal: "channel" }),
);
