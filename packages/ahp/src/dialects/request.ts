// The requests of clients in the host's own terms, whatever the dialect that they came in.
import type { ActiveClient } from "../model/session/session.ts";
import type { JsonObject } from "../model/json.ts";
import type { TerminalClaim } from "../model/terminal/terminal.ts";

/** A channel that something is asked of. */
interface OfChannel {
  readonly channel: string;
}

/** The params of each request whose form depends on the dialect; URIs are as the client wrote them. */
export interface AhpRequests {
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
    /** Whether those are wanted too that are over and still kept; only our own dialect can say that one is. */
    readonly includeClosed?: boolean;
  };
  readonly createSession: OfChannel & {
    readonly provider?: string;
    readonly workingDirectories: readonly string[];
    readonly model?: string;
    readonly config?: JsonObject;
    readonly activeClient?: ActiveClient;
  };
  readonly disposeSession: OfChannel;
  readonly resolveSessionConfig: {
    readonly provider?: string;
    readonly workingDirectory?: string;
    readonly config?: JsonObject;
  };
  /** The channel is a chat. */
  readonly fetchTurns: OfChannel & { readonly cursor?: string; readonly limit?: number };
  /** The channel is a session or one of its chats. */
  readonly completions: OfChannel & { readonly kind: string; readonly text: string; readonly offset: number };
  readonly resourceRead: { readonly uri: string; readonly encoding?: "utf-8" | "base64" };
  readonly createTerminal: OfChannel & {
    readonly claim: TerminalClaim;
    readonly name?: string;
    readonly cwd?: string;
    readonly cols?: number;
    readonly rows?: number;
  };
  readonly disposeTerminal: OfChannel;
}

/** The requests whose form depends on the dialect; the others, such as `ping`, have the same one in all. */
export type RequestMethod = keyof AhpRequests;
