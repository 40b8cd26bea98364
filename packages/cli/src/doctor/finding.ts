// What an examination finds: what is in force, whether that is well, and what mends it.

/** How well something is: as it should be; worth knowing, but nothing fails without it; or broken. */
export type FindingState = "ok" | "note" | "mend";

/** One thing that was looked at. */
export interface Finding {
  /** Names it for programs: `port`, `agent:gemini-cli`. */
  readonly id: string;
  /** Names it for people. */
  readonly title: string;
  readonly state: FindingState;
  /** What is in force, in a sentence without its full stop. */
  readonly summary: string;
  /** What to do, in words, where a command alone does not say it. */
  readonly remedy?: string | undefined;
  /** What to type. */
  readonly command?: string | undefined;
}

/** What an examination says of its one subject. */
export type Verdict = Omit<Finding, "id" | "title">;

/** Nothing to do. */
export function ok(summary: string): Verdict {
  return { state: "ok", summary };
}

/** Worth knowing; everything works without it, if less well. */
export function note(summary: string, cure: Pick<Verdict, "remedy" | "command"> = {}): Verdict {
  return { state: "note", summary, ...cure };
}

/** Something fails as long as this is so. */
export function mend(summary: string, cure: Pick<Verdict, "remedy" | "command">): Verdict {
  return { state: "mend", summary, ...cure };
}
