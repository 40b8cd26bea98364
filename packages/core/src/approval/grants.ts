// Approved tool calls of one turn: each covers what it described, once, and nothing that a person denied.
import type { ApprovalSubject } from "@holdfast/ahp";
import { normalizeLine } from "./command-line.ts";
import { covers } from "./coverage.ts";

/** The use of a grant by one action. */
export interface GrantUse {
  readonly toolCallId: string;
  /** Gives the grant back: the action failed to start. */
  readonly release: () => void;
  /** The action has happened. */
  readonly spend: () => void;
}

/** The approvals and denials as the next host gets to know them. */
export interface SavedGrants {
  readonly grants: readonly Grant[];
  readonly denied: readonly ApprovalSubject[];
  /** Grants that are in use, by the name of the request that uses them. */
  readonly uses: readonly (readonly [string, Grant])[];
}

interface Grant {
  readonly toolCallId: string;
  /** One command, or one file. */
  readonly subject: ApprovalSubject;
}

/** The approvals and denials of one turn, or of the time between turns. */
export class Grants {
  /** Those that are not used, by what they are about: a turn may have thousands. */
  readonly #grants = new Map<string, Grant[]>();
  readonly #denied = new Map<string, ApprovalSubject[]>();
  readonly #uses = new Map<string, Grant>();

  constructor(saved?: SavedGrants) {
    if (saved === undefined) return;
    for (const grant of saved.grants) append(this.#grants, keyOf(grant.subject), grant);
    for (const subject of saved.denied) append(this.#denied, keyOf(subject), subject);
    for (const [request, grant] of saved.uses) this.#uses.set(request, grant);
  }

  get saved(): SavedGrants {
    return {
      grants: [...this.#grants.values()].flat(),
      denied: [...this.#denied.values()].flat(),
      uses: [...this.#uses],
    };
  }

  /** A person or a policy allowed a tool call. */
  add(toolCallId: string, subject: ApprovalSubject): void {
    for (const each of split(subject)) append(this.#grants, keyOf(each), { toolCallId, subject: each });
  }

  /** A person denied it. */
  deny(subject: ApprovalSubject): void {
    for (const each of split(subject)) append(this.#denied, keyOf(each), each);
  }

  /**
   * Takes the grant that covers an action: at once, so that two actions never share one. A request that is handled again
   * gets the grant that it took before.
   */
  take(
    wanted: ApprovalSubject,
    isCurrent: (toolCallId: string) => boolean,
    request: string,
  ): GrantUse | undefined {
    const used = this.#uses.get(request);
    if (used !== undefined) return this.#use(used, request);
    const grants = this.#grants.get(keyOf(wanted)) ?? [];
    const index = grants.findIndex(
      ({ toolCallId, subject }) => covers(subject, wanted) && isCurrent(toolCallId),
    );
    const grant = grants[index];
    if (grant === undefined) return undefined;
    // A file is often read in pieces.
    if (wanted.kind === "read") {
      return { toolCallId: grant.toolCallId, release: () => undefined, spend: () => undefined };
    }
    grants.splice(index, 1);
    return this.#use(grant, request);
  }

  #use(grant: Grant, request: string): GrantUse {
    this.#uses.set(request, grant);
    return {
      toolCallId: grant.toolCallId,
      release: () => {
        this.#uses.delete(request);
        append(this.#grants, keyOf(grant.subject), grant);
      },
      spend: () => void this.#uses.delete(request),
    };
  }

  /** Whether a person denied just this. */
  isDenied(wanted: ApprovalSubject): boolean {
    return this.#denied.get(keyOf(wanted))?.some((subject) => covers(subject, wanted)) ?? false;
  }
}

/** A command as it is; files one by one, since each is used on its own. */
function split(subject: ApprovalSubject): readonly ApprovalSubject[] {
  if (subject.kind !== "write" && subject.kind !== "read") return [subject];
  return subject.files.map((file) => ({ kind: subject.kind, files: [file] }));
}

/** A key that a subject shares with every other that may cover it. */
function keyOf(subject: ApprovalSubject): string {
  switch (subject.kind) {
    case "command":
      return JSON.stringify(["command", subject.cwd, normalizeLine(subject.line ?? "", subject.cwd)]);
    case "write":
    case "read":
      return JSON.stringify([subject.kind, subject.files[0]?.path]);
    case "other":
      return subject.kind;
  }
}

function append<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
