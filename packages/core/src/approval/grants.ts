// Approved tool calls of one turn: each covers what it described, once, and nothing that a person denied.
import type { ApprovalSubject } from "@holdfast/ahp";
import { covers } from "./coverage.ts";

/** The use of a grant by one action. */
export interface GrantUse {
  readonly toolCallId: string;
  /** Gives the grant back: the action failed to start. */
  release(): void;
}

interface Grant {
  readonly toolCallId: string;
  /** One command, or one file. */
  readonly subject: ApprovalSubject;
  isUsed: boolean;
}

/** What was approved and denied in one turn, or outside of turns. */
export class Grants {
  readonly #grants: Grant[] = [];
  readonly #denied: ApprovalSubject[] = [];

  /** A person or a policy allowed a tool call. */
  add(toolCallId: string, subject: ApprovalSubject): void {
    for (const each of split(subject)) this.#grants.push({ toolCallId, subject: each, isUsed: false });
  }

  /** A person denied it. */
  deny(subject: ApprovalSubject): void {
    this.#denied.push(...split(subject));
  }

  /** Takes the grant that covers an action: at once, so that two actions never share one. */
  take(wanted: ApprovalSubject, isCurrent: (toolCallId: string) => boolean): GrantUse | undefined {
    const grant = this.#grants.find(
      ({ toolCallId, subject, isUsed }) => !isUsed && covers(subject, wanted) && isCurrent(toolCallId),
    );
    if (grant === undefined) return undefined;
    // A file is often read in pieces.
    grant.isUsed = wanted.kind !== "read";
    return { toolCallId: grant.toolCallId, release: () => void (grant.isUsed = false) };
  }

  /** Whether a person denied just this. */
  isDenied(wanted: ApprovalSubject): boolean {
    return this.#denied.some((subject) => covers(subject, wanted));
  }
}

/** A command as it is; files one by one, since each is used on its own. */
function split(subject: ApprovalSubject): readonly ApprovalSubject[] {
  if (subject.kind !== "write" && subject.kind !== "read") return [subject];
  return subject.files.map((file) => ({ kind: subject.kind, files: [file] }));
}
