// A command of the agent itself, typed with a slash.
import type { Turn } from "../turn/turn.ts";

/** What the agent does without a shell. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** What comes after the name. */
  readonly hint?: string;
  run(turn: Turn, input: string): Promise<void>;
}

/** The line that tells how a command is used. */
export function usageOf({ name, hint }: Pick<SlashCommand, "name" | "hint">): string {
  return hint === undefined ? `/${name}` : `/${name} ${hint}`;
}
