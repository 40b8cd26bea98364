// The methods between Holdfast's clients and a host, with their types.
import type { SessionSummary } from "../model/session/session-summary.ts";
import type { Turn } from "../model/chat/turn.ts";
import type { JsonObject } from "../model/json.ts";
import type { TerminalClaim } from "../model/terminal/terminal.ts";
import type { HoldfastEnvelope, HoldfastSnapshot } from "../dialects/holdfast.ts";

/** A client's description of itself, for people who look at the host. */
export interface ClientInfo {
  readonly name: string;
  readonly version?: string;
  readonly title?: string;
}

/** A host's description of itself. */
export interface InitializeResult {
  readonly protocolVersion: string;
  readonly serverSeq: number;
  readonly snapshots: readonly HoldfastSnapshot[];
  readonly serverInfo?: ClientInfo;
  readonly defaultDirectory?: string;
  readonly completionTriggerCharacters?: readonly string[];
  readonly _meta?: JsonObject;
}

/** Everything that a client missed: the actions, or states that replace them. */
export type ReconnectResult =
  | {
      readonly type: "replay";
      readonly actions: readonly HoldfastEnvelope[];
      readonly missing: readonly string[];
    }
  /** A channel without a snapshot is gone. */
  | { readonly type: "snapshot"; readonly snapshots: readonly HoldfastSnapshot[] };

interface OfChannel {
  readonly channel: string;
}

/** Requests and notifications to a host; a `type`, because JSON-RPC methods are looked up by any name. */
export type HostMethods = {
  requests: {
    initialize: { params: object; result: InitializeResult };
    reconnect: { params: object; result: ReconnectResult };
    ping: { params: OfChannel; result: null };
    subscribe: {
      params: OfChannel & {
        readonly delivery?: { readonly maxLatencyMs: number };
        readonly view?: { readonly turns: number };
      };
      result: { readonly snapshot?: HoldfastSnapshot };
    };
    listSessions: {
      params: OfChannel & {
        readonly limit?: number;
        readonly cursor?: string;
        /** Also those that are over and still kept; their phase says so. */
        readonly includeClosed?: boolean;
      };
      result: { readonly items: readonly SessionSummary[]; readonly nextCursor?: string };
    };
    createSession: {
      params: OfChannel & {
        readonly provider?: string;
        readonly workingDirectories?: readonly string[];
        readonly config?: JsonObject;
      };
      result: null;
    };
    /** The options of a new session, as a JSON Schema of `config`. */
    resolveSessionConfig: {
      params: OfChannel & { readonly config?: JsonObject };
      result: { readonly schema: JsonObject; readonly values: JsonObject };
    };
    disposeSession: { params: OfChannel; result: null };
    /** Opens a closed session again; a client that follows it subscribes again. */
    reopenSession: { params: OfChannel; result: null };
    fetchTurns: {
      params: OfChannel & { readonly cursor?: string; readonly limit?: number };
      result: { readonly turns: readonly Turn[]; readonly nextCursor?: string };
    };
    createTerminal: {
      params: OfChannel & {
        readonly claim: TerminalClaim;
        readonly name?: string;
        readonly cwd?: string;
        readonly cols?: number;
        readonly rows?: number;
      };
      result: null;
    };
    disposeTerminal: { params: OfChannel; result: null };
    resourceRead: {
      params: OfChannel & { readonly uri: string; readonly encoding?: "utf-8" | "base64" };
      result: { readonly data: string; readonly encoding: "utf-8" | "base64"; readonly contentType?: string };
    };
    /** The entries of a folder; outside of the sessions' folders it needs `resourceRequest` first. */
    resourceList: {
      params: OfChannel & { readonly uri: string };
      result: {
        readonly entries: readonly { readonly name: string; readonly type: "file" | "directory" }[];
      };
    };
    resourceResolve: {
      params: OfChannel & { readonly uri: string };
      result: { readonly type: "file" | "directory" | "symlink" };
    };
    resourceRequest: {
      params: OfChannel & { readonly uri: string; readonly read?: boolean };
      result: object;
    };
    completions: {
      params: OfChannel & { readonly kind: string; readonly text: string; readonly offset: number };
      result: { readonly items: readonly JsonObject[] };
    };
  };
  notifications: {
    unsubscribe: OfChannel;
    dispatchAction: OfChannel & { readonly clientSeq: number; readonly action: object };
  };
};

/** Notifications to the client; it takes no requests. */
export type ClientMethods = {
  requests: Record<string, never>;
  notifications: { action: HoldfastEnvelope; heartbeat: object };
};

/** A request that anybody may make through the client. */
export type OpenMethod = Exclude<keyof HostMethods["requests"], "initialize" | "reconnect" | "subscribe">;
