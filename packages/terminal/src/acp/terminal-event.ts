// Events of agents' terminals for a client's audit hook.
import type { LimitsInForce, TreeMechanism, TreeProcess } from "../process/index.ts";
import type { RuleName } from "../policy/index.ts";
import type { TerminalErrorCode } from "../terminal-error.ts";
import type { TerminalExit } from "../terminal.ts";

/** A command as an agent asked for it, before it runs. */
export interface CommandRequest {
  readonly sessionId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Variables that the command changes. Their values may be secret. */
  readonly env: Readonly<Record<string, string>>;
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
      /** The rule of the policy that allowed it, if one did. */
      readonly rule?: RuleName | undefined;
    })
  | (CommandRequest & {
      readonly type: "refused";
      readonly code: TerminalErrorCode;
      readonly reason: string;
      readonly rule?: RuleName | undefined;
    })
  | (Subject & { readonly type: "exited"; readonly exit: TerminalExit })
  | (Subject & { readonly type: "killed"; readonly left: readonly TreeProcess[] })
  | (Subject & { readonly type: "released"; readonly background: readonly TreeProcess[] })
  | (Subject & { readonly type: "taken-over" })
  | (Subject & { readonly type: "given-back" })
  | (Subject & { readonly type: "detached" });

/** A client's decision on a command. */
export type CommandDecision =
  | { readonly decision: "allow" }
  | { readonly decision: "ask" }
  | { readonly decision: "deny"; readonly reason: string };
