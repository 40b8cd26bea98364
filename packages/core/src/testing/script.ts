// The language of the fake agent's scripts: what it does when it is asked something.

/** The options of a permission request unless a test gives others; the ids are not the kinds' names. */
export const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "yes-always", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
] as const;

/**
 * One thing that the fake agent does. In parameters and updates, `$name.field` stands for a field of an earlier answer,
 * and `$prompt.text` for the prompt's text.
 */
export type Step =
  | { readonly do: "update"; readonly update: object }
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "notify"; readonly method: string; readonly params?: object }
  /** Asks the host; `as` names the answer, without `wait: false` the agent waits for it. */
  | {
      readonly do: "ask";
      readonly method: string;
      readonly params?: object;
      readonly as?: string;
      readonly wait?: boolean;
    }
  /** Asks the first MCP server of its session, over HTTP; otherwise as `ask`. */
  | {
      readonly do: "mcp";
      readonly method: string;
      readonly params?: object;
      readonly as?: string;
      readonly wait?: boolean;
    }
  | { readonly do: "await"; readonly name: string }
  /** Reads a terminal's output, as real agents do again and again, until it holds this text. */
  | { readonly do: "poll"; readonly terminalId: string; readonly text: string }
  /** Cancels its own request. */
  | { readonly do: "takeBack"; readonly name: string }
  | { readonly do: "answer"; readonly result: unknown }
  | { readonly do: "fail"; readonly code: number; readonly message: string; readonly data?: unknown }
  /** Text as it is, for noise. */
  | { readonly do: "stdout"; readonly text: string }
  /** Closes its output and lives on, whatever comes. */
  | { readonly do: "closeOutput" }
  | { readonly do: "hugeLine"; readonly sizeBytes: number; readonly text: string }
  | { readonly do: "stderr"; readonly text: string }
  | { readonly do: "exit"; readonly code: number }
  | { readonly do: "signal"; readonly signal: NodeJS.Signals }
  /** Starts a shell line in a new process session. */
  | { readonly do: "spawn"; readonly line: string }
  /** Until the turn is cancelled. */
  | { readonly do: "hang" }
  /** Takes memory until something ends it. */
  | { readonly do: "leak" }
  /** Uses the processor until something ends it. */
  | { readonly do: "spin" }
  | { readonly do: "sleep"; readonly ms: number }
  /** Until there is such a file in the host's folder. */
  | { readonly do: "until"; readonly path: string }
  | { readonly do: "repeat"; readonly times: number; readonly steps: readonly Step[] }
  /** Writes all that the steps write in one go. */
  | { readonly do: "together"; readonly steps: readonly Step[] };

/** The behaviour of one process of the fake agent; what is left out is answered as any agent would. */
export interface Script {
  readonly name?: string;
  readonly capabilities?: object;
  readonly initialize?: readonly Step[];
  readonly authMethods?: readonly object[];
  /** Rejects sessions until `authenticate` names this method; any other is rejected. */
  readonly signInBy?: string;
  /** Rejects prompts until there is this file, next to its record. */
  readonly signInFile?: string;
  readonly newSession?: readonly Step[];
  /** Members of the answer to `session/new`, `session/load` and `session/resume` besides the id; what is set changes them. */
  readonly session?: object;
  /** For `session/load` and `session/resume`. */
  readonly reopen?: readonly Step[];
  /** For `session/fork`, which it then has. */
  readonly fork?: readonly Step[];
  /** For `session/set_mode`, `session/set_model` and `session/set_config_option`. */
  readonly set?: readonly Step[];
  /** By the prompt's text; `*` is for any other. Without an `answer`, the turn ends with `end_turn`. */
  readonly prompts?: Readonly<Record<string, readonly Step[]>>;
  /** For `_session/steering`, which it then has. */
  readonly steering?: readonly Step[];
  readonly ignoresCancel?: boolean;
  readonly ignoresEndOfInput?: boolean;
  readonly ignoresTerm?: boolean;
  /** A shell line started with the process, in a new process session. */
  readonly children?: string;
  /** Sent at once. */
  readonly stderr?: string;
}

/** A piece of the answer. */
export function say(text: string): Step {
  return { do: "say", text };
}

/** A `session/update` of any kind. */
export function update(sessionUpdate: string, fields: object = {}): Step {
  return { do: "update", update: { sessionUpdate, ...fields } };
}

/** A question to the host, whose answer is known by its name. */
export function ask(as: string, method: string, params: object = {}): Step {
  return { do: "ask", as, method, params };
}

/** A question whose answer the agent does not wait for. */
export function askOn(as: string, method: string, params: object = {}): Step {
  return { do: "ask", as, method, params, wait: false };
}

/** A permission request for a tool call. */
export function askPermission(as: string, toolCall: object, options: readonly object[] = OPTIONS): Step {
  return ask(as, "session/request_permission", {
    toolCall: { toolCallId: as, title: as, ...toolCall },
    options,
  });
}

/** Answers the request that the steps are for. */
export function answer(result: unknown): Step {
  return { do: "answer", result };
}
