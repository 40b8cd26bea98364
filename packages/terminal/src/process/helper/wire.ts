// The lines that host and spawn helper exchange: one JSON object each.
import type { SandboxSpec } from "../../sandbox/sandbox.ts";
import type { LaunchExit, LaunchFailure, LaunchRequest, Launched } from "../launch.ts";
import { TerminalError } from "../../terminal-error.ts";
import type { LimitScope } from "../port.ts";
import type { TreeLeader } from "../tree/tree.ts";

/** Set in the helper's environment: it uses no cgroups, as on a machine that has none. */
export const NO_CGROUPS_VARIABLE = "HOLDFAST_NO_CGROUPS";

/** A command of the host. `reply` numbers a request that expects a response. */
export type HelperCommand =
  | { readonly do: "launch"; readonly id: number; readonly request: LaunchRequest }
  | { readonly do: "signal"; readonly id: number; readonly signal: NodeJS.Signals }
  | { readonly do: "forget"; readonly id: number }
  | { readonly do: "limit"; readonly scopes: readonly LimitScope[] }
  | { readonly do: "reap"; readonly leader: TreeLeader }
  | { readonly do: "fifos"; readonly reply: number; readonly count: number }
  | { readonly do: "end"; readonly reply: number; readonly id: number; readonly graceMs: number }
  | { readonly do: "members"; readonly reply: number; readonly id: number }
  | { readonly do: "isolation"; readonly reply: number }
  | {
      readonly do: "openSandbox";
      readonly reply: number;
      readonly sandbox: string;
      readonly spec: SandboxSpec;
    }
  | { readonly do: "closeSandbox"; readonly sandbox: string };

/** An event of the helper. */
export type HelperEvent =
  | { readonly on: "launched"; readonly id: number; readonly launched: Launched }
  | { readonly on: "failed"; readonly id: number; readonly failure: LaunchFailure }
  | { readonly on: "exited"; readonly id: number; readonly exit: LaunchExit }
  | { readonly on: "answer"; readonly reply: number; readonly value: unknown }
  | { readonly on: "refused"; readonly reply: number; readonly failure: LaunchFailure };

/** Cuts a stream of text into lines and parses each; the other side of the pipe is our own and is trusted. */
export function readLines(onMessage: (message: never) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    // The earlier text contains no line end.
    const unsearched = rest.length;
    rest += text;
    let start = 0;
    for (let end = rest.indexOf("\n", unsearched); end !== -1; end = rest.indexOf("\n", start)) {
      onMessage(JSON.parse(rest.slice(start, end)) as never);
      start = end + 1;
    }
    rest = rest.slice(start);
  };
}

/** An error as it crosses the pipe. */
export function toFailure(error: unknown): LaunchFailure {
  if (error instanceof TerminalError) return { code: error.code, message: error.message, field: error.field };
  return { code: "spawn_failed", message: String(error) };
}

/** And back. */
export function fromFailure({ code, message, field }: LaunchFailure): TerminalError {
  return new TerminalError(code, message, { field });
}
