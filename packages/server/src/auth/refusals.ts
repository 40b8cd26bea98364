// Audit of refused requests: by rights and by limits, over HTTP and WebSocket.
import { type Audit, type Log, rightsEntry } from "@holdfast/core";
import { type ErrorCode, HostError } from "@holdfast/protocol";
import type { Identity } from "./identity.ts";

/** Refusals by ceilings and of agents as callers are not among these: their entries say more, and are made where they are found. */
const audited: ReadonlySet<ErrorCode> = new Set([
  "UNAUTHORIZED",
  "INVALID_APP_ID",
  "PERMISSION_REQUIRED",
  "PERMISSION_DENIED",
  "APP_ID_NOT_ALLOWED",
  "HOST_NOT_ALLOWED",
  "ORIGIN_NOT_ALLOWED",
  "RATE_LIMITED",
  "ACP_AGENT_NOT_ALLOWED",
  "ISOLATION_NOT_ALLOWED",
  "WEBHOOK_ADDRESS_NOT_ALLOWED",
  "LIMIT_TOO_HIGH",
  "TOO_MANY_TERMINALS",
  "ACP_MAX_SESSIONS",
  "ACP_QUEUE_FULL",
  "WEBHOOK_LIMIT",
] as const);

/** How much of a path is recorded. */
const maxRequestChars = 200;

/** A request that was refused. */
export interface RefusedRequest {
  /** Method and path, without the query, which may hold a secret. */
  readonly request: string;
  /** The caller; undefined when it was not identified. */
  readonly by: string | undefined;
  readonly address?: string | undefined;
  /** Whether the request carried a credential: one without is no attempt (A70). */
  readonly hasCredential: boolean;
  readonly session?: string | undefined;
}

/** Records refusals of one server. The audit limits how many it keeps of one caller (A711). */
export class Refusals {
  readonly #audit: Pick<Audit, "record">;
  readonly #log: Log;

  constructor(audit: Pick<Audit, "record">, log: Log) {
    this.#audit = audit;
    this.#log = log;
  }

  /** Records an error if it is a refusal. */
  note(error: unknown, { request, by, address, hasCredential, session }: RefusedRequest): void {
    if (!(error instanceof HostError) || !audited.has(error.code)) return;
    if (error.code === "UNAUTHORIZED" && !hasCredential) return;
    const from = by === undefined && address !== undefined ? ` from ${address}` : "";
    try {
      this.#audit.record(
        rightsEntry({
          what: "refusal",
          subject: `${request.slice(0, maxRequestChars)}${from}`,
          by: by ?? "unknown caller",
          outcome: `${error.code}: ${error.message}`,
          session,
          isRefused: true,
        }),
      );
    } catch (cause) {
      // The request is refused in any case; that it cannot be recorded must not change the response.
      this.#log("warn", "A refusal could not be recorded in the audit", { code: error.code, error: cause });
    }
  }
}

/** The name of a caller in the audit. */
export function auditName({ caller, clientId }: Pick<Identity, "caller" | "clientId">): string {
  return caller.kind === "app" ? `app ${caller.appId}` : `client ${clientId}`;
}
