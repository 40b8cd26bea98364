// The JSON-RPC connection to an agent: handlers for its requests, and receivers of its notifications.
import { isJsonObject } from "@holdfast/ahp";
import {
  Connection,
  type ContinuedConnection,
  ErrorCode,
  type MessageChunks,
  ndjsonFraming,
  type RawJson,
  type RepeatedTextOptions,
  type RequestContext,
  RpcError,
  type WarningLimit,
} from "@holdfast/jsonrpc";
import { HostError, LIMITS } from "@holdfast/protocol";
import type { Run } from "@holdfast/terminal/port";
import { explainStorageError } from "../channel/recording.ts";
import type { AgentLedger } from "./agent-ledger.ts";
import type { AcpAuthStatus, AcpContent, AcpPermissionOption, AcpToolCall, AcpUpdate } from "./acp.ts";
import { isSetting } from "./session-updates.ts";

/** The message sink of a connection, once it is open. */
export interface AgentLink {
  run: Run | undefined;
  onDrain: () => void;
  /** The name of the agent's run, after which its requests are named. */
  readonly name: string;
  /** Keeps account of the connection, so that another host can continue it. */
  readonly ledger: AgentLedger | undefined;
}

/** A request of an agent. */
export interface AgentRequest {
  /** Stays the same when the request is handled again by another host (N721). */
  readonly name: string;
  /** Aborts when the agent takes the request back, or is gone. */
  readonly signal: AbortSignal;
}

type PermissionParams = Parameters<AgentServices["requestPermission"]>[0];
type UpdateParams = Partial<OfSession> & { readonly update: AcpUpdate };

/** Agents send their messages as thousands of updates that differ in their text alone. */
function piecesOfText(services: AgentServices, gate: UpdateGate): RepeatedTextOptions {
  return {
    method: "session/update",
    read: (params) => {
      const update = (params as { update?: AcpUpdate } | undefined)?.update;
      if (typeof update?.toolCallId === "string") return undefined;
      return (update?.["content"] as AcpContent | undefined)?.text;
    },
    handle: (params, text) => {
      const { sessionId, update } = params as UpdateParams;
      if (gate.admits(sessionId, update)) services.updateText(update, text);
    },
    joins: (params) => services.joinsText((params as UpdateParams).update),
  };
}

/** Opens the connection: every request and update of the agent goes to the services of its session. */
export function openConnection(
  link: AgentLink,
  services: AgentServices,
  gate: UpdateGate,
  warnings: WarningLimit,
  continues?: ContinuedConnection,
): Connection {
  const { ledger } = link;
  return new Connection({
    framing: ndjsonFraming(),
    limits: { nestedLevels: LIMITS.nestedLevels },
    sink: {
      write: (chunks) => (ledger === undefined ? writeTo(link, chunks) : ledger.send(chunks)),
      onDrain: (listener) => {
        link.onDrain = listener;
      },
    },
    ...(ledger !== undefined && { journal: ledger }),
    ...(continues !== undefined && { continues }),
    cancelMethod: "$/cancel_request",
    repeatedText: piecesOfText(services, gate),
    orderKey: (method, params) =>
      method === "session/update" ? (params as OfSession | undefined)?.sessionId : undefined,
    onWarning: (warning) => warnings.add(() => `${warning.kind}: ${JSON.stringify(warning)}`.slice(0, 500)),
    notifications: {
      "session/update": (params) => {
        const { sessionId, update } = params as UpdateParams;
        if (!gate.admits(sessionId, update)) return;
        const bounded = boundUpdate(update, (message) => services.warn(message));
        if (bounded !== undefined) services.update(bounded);
      },
      "auth/status_update": (params) => reportAuthStatus(params, services),
      "_auth/status_update": (params) => reportAuthStatus(params, services),
    },
    requests: agentRequests(link.name, services, gate),
  });
}

function writeTo({ run }: AgentLink, chunks: MessageChunks): boolean {
  let more = true;
  for (const chunk of chunks) {
    more = run?.write(typeof chunk === "string" ? Buffer.from(chunk) : chunk) ?? true;
  }
  return more;
}

function agentRequests(
  run: string,
  services: AgentServices,
  gate: UpdateGate,
): Record<string, RequestHandler> {
  const checked = (handle: ServiceHandler, check?: CheckParams): RequestHandler =>
    explained(run, (params, request) => {
      checkSession(params, gate);
      check?.(params);
      return handle(params, request);
    });
  return {
    "session/request_permission": checked((params: PermissionParams, request) => {
      checkAskedCall(params.toolCall);
      return services.requestPermission(params, request);
    }, checkPermission),
    "fs/read_text_file": checked((params, request) => services.readFile(params, request)),
    "fs/write_text_file": checked((params, request) => services.writeFile(params, request)),
    "terminal/create": checked((params, request) => services.createTerminal(params, request)),
    // Output is read in the tick of the request.
    "terminal/output": (params) => {
      checkSession(params, gate);
      checkTerminal(params);
      return services.terminalOutput(params as never);
    },
    "terminal/wait_for_exit": checked(
      (params, request) => services.waitForTerminalExit(params, request),
      checkTerminal,
    ),
    "terminal/kill": checked((params) => services.killTerminal(params), checkTerminal),
    "terminal/release": checked((params) => services.releaseTerminal(params), checkTerminal),
    "elicitation/create": checked((params, request) => services.elicit(params, request)),
  };
}

type ServiceHandler = (params: never, request: AgentRequest) => Promise<object>;
type RequestHandler = (params: unknown, context: RequestContext) => Promise<object> | RawJson;

/** A handler whose refusals reach the agent with the host's own code and sentence, a full disk's included (D262). */
function explained(run: string, handle: ServiceHandler): RequestHandler {
  return async (params, context) => {
    const request = {
      name: `${run}:${context.offset}`,
      get signal() {
        return context.signal;
      },
    };
    try {
      return await handle(params as never, request);
    } catch (error) {
      const explainedError = explainStorageError(error);
      if (!(explainedError instanceof HostError)) throw explainedError;
      const { rpcCode, message, code, details } = explainedError;
      throw new RpcError(rpcCode, message, { ...details, code });
    }
  };
}

/** An extension that the adapters of Claude and Codex send; ACP has it as an unstable method. */
function reportAuthStatus(params: unknown, services: AgentServices): void {
  const { authStatus } = (params ?? {}) as { readonly authStatus?: AcpAuthStatus };
  if (typeof authStatus?.kind === "string") services.authStatus?.(authStatus);
}

/** Throws the error for params that a service could not read. */
export type CheckParams = (params: unknown) => void;

const unknownSession = -32002;

/** Params are an object, and the session that they name is open. */
function checkSession(params: unknown, gate: UpdateGate): void {
  if (!isJsonObject(params)) throw invalid("params must be an object");
  const { sessionId } = params;
  if (sessionId === undefined) return;
  if (typeof sessionId !== "string") throw invalid("sessionId must be a string");
  if (gate.isForeign(sessionId)) {
    const message = `No session ${sessionId.slice(
      0,
      200,
    )} is open here. Use the sessionId of the open session.`;
    throw new RpcError(unknownSession, message);
  }
}

/** `session/request_permission` names a tool call and the options to choose from. */
const checkPermission: CheckParams = (params) => {
  const { toolCall, options } = params as Readonly<Record<string, unknown>>;
  if (!isJsonObject(toolCall)) throw invalid("toolCall must be an object");
  if (typeof toolCall["toolCallId"] !== "string") throw invalid("toolCall.toolCallId must be a string");
  if (!Array.isArray(options)) throw invalid("options must be a list");
  options.forEach((option: unknown, index) => {
    if (!isJsonObject(option)) throw invalid(`options[${index}] must be an object`);
    for (const field of ["optionId", "name", "kind"]) {
      if (typeof option[field] !== "string") throw invalid(`options[${index}].${field} must be a string`);
    }
  });
};

/** `terminal/*` but for `terminal/create` names a terminal. */
const checkTerminal: CheckParams = (params) => {
  const { terminalId } = params as Readonly<Record<string, unknown>>;
  if (typeof terminalId !== "string") throw invalid("terminalId must be a string");
};

function invalid(problem: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, problem);
}

/** The sessions of an agent that were opened and left. */
export interface SavedGate {
  readonly entered: readonly string[];
  readonly left: readonly string[];
}

/** Stands between an agent's updates and the session that they are for. */
export class UpdateGate {
  readonly #entered: Set<string>;
  readonly #left: Set<string>;
  #replays = 0;

  constructor({ entered = [], left = [] }: Partial<SavedGate> = {}) {
    this.#entered = new Set(entered);
    this.#left = new Set(left);
  }

  get saved(): SavedGate {
    return { entered: [...this.#entered], left: [...this.#left] };
  }

  /** Whether an update goes through. */
  admits(sessionId: string | undefined, update: AcpUpdate): boolean {
    if (sessionId !== undefined && this.#left.has(sessionId)) return false;
    return this.#replays === 0 || isSetting(update);
  }

  /** Drops the replayed transcript until `reopen` is answered; updates about the session's settings are kept. */
  async duringReplay<Result>(reopen: () => Promise<Result>): Promise<Result> {
    this.#replays += 1;
    try {
      return await reopen();
    } finally {
      this.#replays -= 1;
    }
  }

  /** Whether a session is none that the host opened; before it knows of any, none is. */
  isForeign(sessionId: string): boolean {
    return this.#entered.size > 0 && !this.#entered.has(sessionId);
  }

  /** Nothing of this session goes through any more, until it is entered again. */
  leave(sessionId: string): void {
    this.#left.add(sessionId);
  }

  /** This session is in use: an agent that names its sessions after their directories opens one that was left. */
  enter(sessionId: string): void {
    this.#entered.add(sessionId);
    this.#left.delete(sessionId);
  }
}

/** The parameters that name a session, whatever else is in them. */
export interface OfSession {
  readonly sessionId: string;
}

/** Requests that a session serves for its agent. */
export interface AgentServices {
  update(update: AcpUpdate): void;
  /** The same update with another text: an agent's message comes in many of them. */
  updateText(update: AcpUpdate, text: string): void;
  /** Whether the texts of updates like this one may come as one `updateText`. */
  joinsText(update: AcpUpdate): boolean;
  requestPermission(
    params: OfSession & { toolCall: AcpToolCall; options: readonly AcpPermissionOption[] },
    request: AgentRequest,
  ): Promise<object>;
  readFile(
    params: OfSession & { path: string; line?: number | null; limit?: number | null },
    request: AgentRequest,
  ): Promise<object>;
  writeFile(params: OfSession & { path: string; content: string }, request: AgentRequest): Promise<object>;
  createTerminal(params: OfSession, request: AgentRequest): Promise<object>;
  terminalOutput(params: OfSession & { terminalId: string }): RawJson;
  waitForTerminalExit(params: OfSession & { terminalId: string }, request: AgentRequest): Promise<object>;
  killTerminal(params: OfSession & { terminalId: string }): Promise<object>;
  releaseTerminal(params: OfSession & { terminalId: string }): Promise<object>;
  elicit(
    params: Partial<OfSession> & Readonly<Record<string, unknown>>,
    request: AgentRequest,
  ): Promise<object>;
  /** The account that the agent is signed in to, or that it is not; only some agents report it. */
  authStatus?(status: AcpAuthStatus): void;
  /** The services as the next host gets to know them. */
  saved?(): object;
  /** Something odd that is worth a line in the log. */
  warn(message: string): void;
}

/** Services of a connection that gives the agent no work: every request is rejected, and updates are ignored. */
export function rejectingServices(reason: string): AgentServices {
  const refuse = (): never => {
    throw new Error(reason);
  };
  return {
    update: () => undefined,
    updateText: () => undefined,
    joinsText: () => true,
    warn: () => undefined,
    requestPermission: refuse,
    readFile: refuse,
    writeFile: refuse,
    createTerminal: refuse,
    terminalOutput: refuse,
    waitForTerminalExit: refuse,
    killTerminal: refuse,
    releaseTerminal: refuse,
    elicit: refuse,
  };
}

/** Characters of an id. */
const maxIdLength = 1024;
/** Characters of a tool call's title. Agents put whole commands into it, and a person who approves one must see all of it. */
const maxTitleLength = 16 * 1024;

/** The update with its titles cut; undefined with a warning for one whose id is too long. */
function boundUpdate(update: AcpUpdate, warn: (message: string) => void): AcpUpdate | undefined {
  const { sessionUpdate, toolCallId, title } = update;
  if (isTooLong(sessionUpdate, maxIdLength) || isTooLong(toolCallId, maxIdLength)) {
    warn(`An update was dropped: its kind or tool call id is longer than ${maxIdLength} characters.`);
    return undefined;
  }
  const name = update["name"];
  const kind = update["kind"];
  if (![title, name, kind].some((text) => isTooLong(text, maxTitleLength))) return update;
  return {
    ...update,
    ...(typeof title === "string" && { title: cut(title) }),
    ...(typeof name === "string" && { name: cut(name) }),
    ...(typeof kind === "string" && { kind: cut(kind) }),
  };
}

/** Rejects a question about a tool call that nobody could read whole. */
function checkAskedCall(call: Partial<AcpToolCall> | undefined): void {
  if (isTooLong(call?.toolCallId, maxIdLength)) {
    throw new RpcError(ErrorCode.invalidParams, `toolCallId is longer than ${maxIdLength} characters`);
  }
  if ([call?.title, call?.name, call?.kind].some((text) => isTooLong(text, maxTitleLength))) {
    throw new RpcError(
      ErrorCode.invalidParams,
      `title, name or kind of the tool call is longer than ${maxTitleLength} characters`,
    );
  }
}

/** The id of a session that an agent opened; one that is missing or too long is an error. */
export function readSessionId(sessionId: unknown): string {
  if (typeof sessionId !== "string") throw new Error("it did not name the session that it opened");
  if (sessionId.length <= maxIdLength) return sessionId;
  throw new Error(`it named its session with more than ${maxIdLength} characters`);
}

function isTooLong(value: unknown, maxLength: number): boolean {
  return typeof value === "string" && value.length > maxLength;
}

function cut(text: string): string {
  if (text.length <= maxTitleLength) return text;
  return `${text.slice(0, maxTitleLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
