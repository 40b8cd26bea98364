// One ACP client of the host, whatever its transport: `initialize`, then sessions that it opens, follows and prompts.
import { randomUUID } from "node:crypto";
import {
  Connection,
  ErrorCode,
  messageFraming,
  type MessageSink,
  RpcError,
  WarningLimit,
} from "@holdfast/jsonrpc";
import { LIMITS } from "@holdfast/protocol";
import type { Caller } from "../host-port.ts";
import type { AcpHost } from "./acp-host.ts";
import { type EditorFeatures, readFeatures } from "./features.ts";
import { invalidParams, membersOf, ownMembers, requireMembers } from "./params.ts";
import { toRpcError } from "./rpc-error.ts";
import { lookUpVisible } from "./visible-sessions.ts";
import { EditorSessions } from "./editor-sessions.ts";
import { type LentParts, listMissing } from "./lent-editor.ts";

export interface AcpDeps {
  readonly host: AcpHost;
  readonly version: string;
  /** Writes an error to the log; gives its id there. */
  readonly report: (error: unknown) => string;
  readonly now: () => Date;
}

/** Who connected, and what they asked for with the address. */
export interface AcpClient {
  readonly caller: Caller;
  /** Whether it may read the output of terminals live. */
  readonly followsTerminals: boolean;
  /** The agent of new sessions; absent: the configuration's default. */
  readonly agent?: string | undefined;
  /** The session that `session/new` joins instead of creating one. */
  readonly session?: string | undefined;
  readonly lends: LentParts;
}

type State =
  | { readonly name: "new" }
  | { readonly name: "open"; readonly sessions: EditorSessions; readonly info: ClientInfo }
  | { readonly name: "closed" };

/** How a client calls itself. */
export interface ClientInfo {
  readonly name?: string;
  readonly title?: string;
  readonly version?: string;
}

const maxRequests = 256;
const maxInfoLength = 100;
const maxClientIdLength = 64;
const clientIdPattern = /^[\w-]+$/;

/** A connection. Its transport closes it; sessions and turns continue without it. */
export class AcpConnection {
  readonly rpc: Connection;
  readonly #deps: AcpDeps;
  readonly #client: AcpClient;
  readonly #warnings: WarningLimit;
  #state: State = { name: "new" };

  constructor(deps: AcpDeps, client: AcpClient, sink: MessageSink) {
    this.#deps = deps;
    this.#client = client;
    this.#warnings = new WarningLimit((line) => void deps.report(new Error(line)));
    this.rpc = new Connection({
      framing: messageFraming(),
      sink,
      requests: this.#requests(),
      notifications: { "session/cancel": (params) => this.#cancel(params) },
      cancelMethod: "$/cancel_request",
      limits: { incomingRequests: maxRequests, nestedLevels: LIMITS.nestedLevels },
      onWarning: (warning) => {
        if (warning.kind !== "handler-failed") return;
        const { method, error } = warning;
        this.#warnings.add(() => `${method} failed: ${error instanceof Error ? error.stack : String(error)}`);
      },
    });
  }

  /** How the client calls itself; undefined until `initialize`. */
  get info(): ClientInfo | undefined {
    return this.#state.name === "open" ? this.#state.info : undefined;
  }

  /** How many sessions it follows. */
  get sessionCount(): number {
    return this.#state.name === "open" ? this.#state.sessions.size : 0;
  }

  isFollowing(sessionKey: string): boolean {
    return this.#state.name === "open" && this.#state.sessions.isFollowing(sessionKey);
  }

  push(text: string): void {
    this.rpc.push(text);
  }

  close(): void {
    if (this.#state.name === "closed") return;
    const state = this.#state;
    this.#state = { name: "closed" };
    if (state.name === "open") state.sessions.close();
    this.rpc.close();
    this.#warnings.close();
  }

  #requests(): Record<string, (params: unknown, context: { readonly signal: AbortSignal }) => unknown> {
    const handlers: Record<
      string,
      (sessions: EditorSessions, params: unknown, signal: AbortSignal) => unknown
    > = {
      "session/new": (sessions, params) => sessions.create(params),
      "session/load": (sessions, params) => sessions.load(params),
      "session/resume": (sessions, params) => sessions.resume(params),
      "session/list": (sessions, params) => sessions.list(params),
      "session/prompt": (sessions, params, signal) => sessions.prompt(params, signal),
      "session/close": (sessions, params) => sessions.detach(params),
      "session/delete": (sessions, params) => sessions.delete(params),
      "session/set_mode": (sessions, params) => sessions.setMode(params),
      "session/set_config_option": (sessions, params) => sessions.setOption(params),
      "session/fork": (sessions, params) => sessions.fork(params),
    };
    const guarded = Object.entries(handlers).map(
      ([method, handle]) =>
        [
          method,
          (params: unknown, { signal }: { readonly signal: AbortSignal }) =>
            this.#handle(() => handle(this.#sessions(method), requireMembers(params), signal)),
        ] as const,
    );
    return {
      initialize: (params) => this.#handle(() => this.#initialize(params)),
      authenticate: () => this.#handle(refuseAuthentication),
      ...Object.fromEntries(guarded),
    };
  }

  async #handle(work: () => unknown): Promise<unknown> {
    try {
      return await work();
    } catch (error) {
      throw toRpcError(error, this.#deps.report);
    }
  }

  #sessions(method: string): EditorSessions {
    if (this.#state.name === "open") return this.#state.sessions;
    throw new RpcError(ErrorCode.invalidRequest, `Send initialize before ${method}.`);
  }

  #initialize(params: unknown): object {
    if (this.#state.name !== "new") {
      throw new RpcError(ErrorCode.invalidRequest, "This connection is already initialized.");
    }
    if (typeof membersOf(requireMembers(params))["protocolVersion"] !== "number") {
      throw invalidParams("protocolVersion: expected a number");
    }
    const features = readFeatures(params);
    const info = readInfo(params);
    this.#state = { name: "open", sessions: this.#open(features, info, params), info };
    return describeAgent(this.#deps.version, this.#forks, listMissing(this.#client.lends, features));
  }

  /** Whether the agent of this client's sessions is known to fork them. */
  get #forks(): boolean {
    const { agent, session, caller } = this.#client;
    const { host } = this.#deps;
    const joined = session === undefined ? undefined : lookUpVisible(host, caller, session);
    return host.ahp.sessions.canFork(joined?.provider ?? agent);
  }

  #open(features: EditorFeatures, info: ClientInfo, params: unknown): EditorSessions {
    const { clientId } = ownMembers(params);
    const isNamed =
      typeof clientId === "string" && clientIdPattern.test(clientId) && clientId.length <= maxClientIdLength;
    return new EditorSessions({
      ...this.#deps,
      ...this.#client,
      rpc: this.rpc,
      features,
      name: info.title ?? info.name ?? "without a name",
      clientId: isNamed ? clientId : randomUUID(),
    });
  }

  async #cancel(params: unknown): Promise<void> {
    if (this.#state.name !== "open") return;
    try {
      await this.#state.sessions.cancel(params);
    } catch (error) {
      // A notification has no response: what is wrong with it is of no use to anybody but the log.
      toRpcError(error, this.#deps.report);
    }
  }
}

/** Whatever version a client offers, the host speaks this one. */
const protocolVersion = 1;

function describeAgent(version: string, forks: boolean, warnings: readonly string[]): object {
  return {
    protocolVersion,
    agentInfo: { name: "holdfast", title: "Holdfast", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: false, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, ...(forks && { fork: {} }) },
      _meta: { holdfast: { resumesAfter: true } },
    },
    authMethods: [],
    ...(warnings.length > 0 && { _meta: { holdfast: { warnings } } }),
  };
}

function refuseAuthentication(): never {
  throw invalidParams(
    "methodId: the host needs no sign-in. Sign the agent in with the command named in its error.",
  );
}

function readInfo(params: unknown): ClientInfo {
  const info = membersOf(membersOf(params)["clientInfo"]);
  const named = ["name", "title", "version"].flatMap((name) => {
    const value = info[name];
    return typeof value === "string" ? [[name, value.slice(0, maxInfoLength)] as const] : [];
  });
  return Object.fromEntries(named);
}
