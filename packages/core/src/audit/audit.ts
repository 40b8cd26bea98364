// The audit log: an append-only record of every command, approval, file access and change of settings, with actor,
// place and outcome.
import { RefusalLimit } from "./refusal-limit.ts";

/** One entry. */
export interface AuditEntry {
  readonly at: string;
  /** The session it happened in; empty for a command that the owner ran without one. */
  readonly session: string;
  readonly turnId?: string | undefined;
  readonly what: AuditSubject;
  /** The command line, the path, or the name of what was changed. */
  readonly subject: string;
  readonly cwd?: string | undefined;
  /** The source of the decision: a policy, a client, an app, the host. */
  readonly by: string;
  /** `reported`: the agent did it itself and reported it; the host decided nothing. */
  readonly decision: "allowed" | "denied" | "cancelled" | "expired" | "reported";
  /** The outcome, where it is known at once; a command is `started` here, and its end is another entry. */
  readonly outcome?: string | undefined;
  /** How a command ended; absent when it was ended by a signal, or nobody saw its end. */
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly durationMs?: number | undefined;
  /** The limit that ended the command or the agent. */
  readonly limit?: string | undefined;
  /** The terminal that a command runs in; its start and its exit name the same. */
  readonly terminal?: string | undefined;
  /** The names of the variables by which a command's environment differs from the usual one. */
  readonly environment?: readonly string[] | undefined;
  /** The isolation that a command ran under. */
  readonly isolation?: string | undefined;
  /** The policy rule or stored permission that decided. */
  readonly rule?: string | undefined;
}

/** The subjects of the audit. */
export type AuditSubject =
  | "command"
  | "command-exit"
  | "agent-exit"
  | "approval"
  | "file-read"
  | "file-write"
  | "revert"
  | "stage"
  | "unstage"
  | "commit"
  | "sign-in"
  | "key"
  | "app"
  | "ticket"
  | "policy"
  | "option"
  | "permission-rule"
  | "refusal";

/** The decision on most entries. */
export const ALLOWED = { decision: "allowed" } as const;

/** Persistent storage of the entries. */
export interface AuditStore {
  append(entry: AuditEntry): void;
}

/** How many of the newest entries stay in memory. */
const maxRecent = 2000;

/** How much of a text is recorded: a command line may have a mebibyte. */
const maxTextChars = 16 * 1024;

/** The record of one host. */
export class Audit {
  readonly #store: AuditStore | undefined;
  readonly #now: () => Date;
  #recent: AuditEntry[] = [];
  readonly #refusals = new RefusalLimit();

  constructor(now: () => Date, store?: AuditStore) {
    this.#now = now;
    this.#store = store;
  }

  /** Records an entry; a refusal of a caller that was refused too often is only counted (A711). */
  record(entry: Omit<AuditEntry, "at">): void {
    const leftOut = entry.what === "refusal" ? this.#refusals.admit(entry.by) : 0;
    if (leftOut === undefined) return;
    const { subject } = entry;
    const outcome = leftOut === 0 ? entry.outcome : withLeftOut(entry.outcome, leftOut);
    const dated: AuditEntry = {
      at: this.#now().toISOString(),
      ...entry,
      subject: boundText(subject),
      ...(outcome !== undefined && { outcome: boundText(outcome) }),
    };
    this.#store?.append(dated);
    this.#recent.push(dated);
    // Half is dropped at once, so that keeping the record costs nothing per entry.
    if (this.#recent.length > maxRecent) this.#recent = this.#recent.slice(-maxRecent / 2);
  }

  /** The newest entries, oldest first. */
  get recent(): readonly AuditEntry[] {
    return this.#recent;
  }
}

function withLeftOut(outcome: string | undefined, leftOut: number): string {
  return `${outcome === undefined ? "" : `${outcome} `}(${leftOut} earlier refusals of this caller were left out)`;
}

/** A text, or its beginning, in whole characters, and how much is left out (V420). */
function boundText(text: string): string {
  if (text.length <= maxTextChars) return text;
  const start = text.slice(0, maxTextChars).replace(/[\uD800-\uDBFF]$/, "");
  return `${start}… (${text.length - start.length} more characters)`;
}
