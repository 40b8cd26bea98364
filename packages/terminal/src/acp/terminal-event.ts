// What a client's audit hook hears of its agents' terminals.
import type { LimitsInForce, TreeMechanism, TreeProcess } from "../process/index.ts";
import type { TerminalErrorCode } from "../terminal-error.ts";
import type { TerminalExit } from "../terminal.ts";

/** A command as an agent asked for it, before it runs. */
export interface CommandRequest {
  readonly sessionId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

interface Subject {
  readonly sessionId: string;
  readonly terminalId: string;
}

/** One thing that happened. */
export type TerminalEvent =
  | (CommandRequest & {
      readonly type: "created";
      readonly terminalId: string;
      readonly pid: number;
      readonly tree: TreeMechanism;
      readonly limits: LimitsInForce;
    })
  | (CommandRequest & { readonly type: "refused"; readonly code: TerminalErrorCode; readonly reason: string })
  | (Subject & { readonly type: "exited"; readonly exit: TerminalExit })
  | (Subject & { readonly type: "killed"; readonly left: readonly TreeProcess[] })
  | (Subject & { readonly type: "released"; readonly background: readonly TreeProcess[] })
  | (Subject & { readonly type: "taken-over" })
  | (Subject & { readonly type: "given-back" })
  | (Subject & { readonly type: "detached" });

/** What a client says to a command. */
export type Verdict =
  | { readonly verdict: "allow" }
  | { readonly verdict: "ask" }
  | { readonly verdict: "deny"; readonly reason: string };
