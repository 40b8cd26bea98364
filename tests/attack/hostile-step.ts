// The steps of the hostile agent and their outcomes.

/** One step of an attack. */
export type HostileStep =
  /** Runs a line as a child of the agent, without asking. */
  | { readonly do: "run"; readonly line: string }
  /** Runs a command in a terminal of the host and waits for it. */
  | {
      readonly do: "terminal";
      readonly command: string;
      readonly args?: readonly string[];
      readonly cwd?: string;
      readonly env?: readonly { readonly name: string; readonly value: string }[];
      readonly _meta?: object;
    }
  /** Any other request to the host. */
  | { readonly do: "call"; readonly method: string; readonly params: object }
  /** Performs a step when the turn is over; `collect` gives its outcome in a later turn. */
  | { readonly do: "later"; readonly step: HostileStep; readonly afterMs: number }
  | { readonly do: "collect" }
  /** An update of the session. */
  | { readonly do: "report"; readonly update: object }
  /** The agent's own environment, as JSON. */
  | { readonly do: "environment" }
  /** Reads a file in the agent's own process. */
  | { readonly do: "readFile"; readonly path: string };

/** The outcome of a step. */
export interface StepOutcome {
  readonly exitCode?: number | null;
  readonly signal?: string | null;
  readonly output?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  /** The host's or the system's error, and its ACP code. */
  readonly error?: string;
  readonly code?: number;
}
