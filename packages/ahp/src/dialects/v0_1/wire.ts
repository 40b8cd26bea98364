// The states of the seed, AHP 0.1.0, as they are sent.
import type { WireConfig } from "../ahp/config.ts";
import type { WireTerminalPart } from "../ahp/terminal-part.ts";
import type { WireConversation, WireError, WireMeta } from "../ahp/wire-chat.ts";
import type { JsonValue } from "../../model/json.ts";
import type { WireOrigin } from "../dialect.ts";

/** The envelope of every action, which names its channel itself. */
export interface SeedEnvelope {
  readonly action: object;
  readonly serverSeq: number;
  readonly origin?: WireOrigin;
  readonly rejectionReason?: string;
}

/** A terminal in the root's list; an exit code means that it is over. */
export interface SeedTerminalInfo {
  readonly resource: string;
  readonly title: string;
  readonly claim: object;
  readonly exitCode?: number;
}

/** A terminal. */
export interface SeedTerminalState {
  readonly title: string;
  readonly cwd?: string;
  readonly cols?: number;
  readonly rows?: number;
  readonly content: readonly WireTerminalPart[];
  readonly exitCode?: number;
  readonly claim: object;
  readonly supportsCommandDetection?: true;
}

/** A session in a list and in its own state; times are milliseconds since 1970. */
export interface SeedSessionSummary {
  readonly resource: string;
  readonly provider: string;
  readonly title: string;
  readonly status: number;
  readonly activity?: string;
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly model?: { readonly id: string };
  readonly workingDirectory?: string;
}

/** The client that takes part; the seed has room for one. */
export interface SeedActiveClient {
  readonly clientId: string;
  readonly displayName?: string;
  readonly tools: readonly JsonValue[];
}

/** A session, with its default chat in it. */
export interface SeedSessionState extends WireConversation {
  readonly summary: SeedSessionSummary;
  readonly lifecycle: "creating" | "ready" | "creationFailed";
  readonly creationError?: WireError;
  readonly activeClient?: SeedActiveClient;
  readonly config?: WireConfig;
  readonly _meta?: WireMeta;
}
