// Methods of the client, in the shapes of ACP v1.
import { isObject, type Params } from "./params.ts";
import type { SessionUpdate, ToolCallUpdate } from "./session-update.ts";

/** One of the answers to a request for permission. */
export interface PermissionOption {
  optionId: string;
  name: string;
  kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
}

/** The chosen option, or that the turn is cancelled. */
export type PermissionOutcome = { outcome: "selected"; optionId: string } | { outcome: "cancelled" };

/** How a command ended; both are null when that is unknown. */
export interface ExitStatus {
  exitCode: number | null;
  signal: string | null;
}

/** Output of a terminal; without `exitStatus` its command still runs. */
export interface TerminalOutput {
  output: string;
  truncated: boolean;
  exitStatus?: Partial<ExitStatus> | null;
}

export interface AnswerForm {
  type: "object";
  properties: { answer: { type: "string"; title: string } };
  required: ["answer"];
}

export interface ElicitationResult {
  action: string;
  content?: { answer?: unknown } | null;
}

interface InSession {
  sessionId: string;
}

interface OfTerminal extends InSession {
  terminalId: string;
}

/** The client's side of ACP v1, as far as this agent calls it. */
export type ClientMethods = {
  requests: {
    "session/request_permission": {
      params: InSession & { toolCall: ToolCallUpdate; options: PermissionOption[] };
      result: { outcome: PermissionOutcome };
    };
    "fs/read_text_file": {
      params: InSession & { path: string; line?: number; limit?: number };
      result: { content: string };
    };
    "fs/write_text_file": { params: InSession & { path: string; content: string }; result: unknown };
    "terminal/create": {
      params: InSession & { command: string; cwd: string; outputByteLimit: number; _meta: object };
      result: { terminalId: string };
    };
    "terminal/output": { params: OfTerminal; result: TerminalOutput };
    "terminal/wait_for_exit": { params: OfTerminal; result: Partial<ExitStatus> };
    "terminal/kill": { params: OfTerminal; result: unknown };
    "terminal/release": { params: OfTerminal; result: unknown };
    "elicitation/create": {
      params: InSession & { mode: "form"; message: string; requestedSchema: AnswerForm };
      result: ElicitationResult;
    };
  };
  notifications: { "session/update": InSession & { update: SessionUpdate } };
};

/** Capabilities of the client; those it did not name it lacks. */
export interface ClientCapabilities {
  readonly hasTerminals: boolean;
  readonly canReadFiles: boolean;
  readonly canWriteFiles: boolean;
  readonly canShowForms: boolean;
}

export function readClientCapabilities(params: Params): ClientCapabilities {
  const capabilities = fieldsOf(params["clientCapabilities"]);
  const fs = fieldsOf(capabilities["fs"]);
  return {
    hasTerminals: capabilities["terminal"] === true,
    canReadFiles: fs["readTextFile"] === true,
    canWriteFiles: fs["writeTextFile"] === true,
    canShowForms: isObject(fieldsOf(capabilities["elicitation"])["form"]),
  };
}

function fieldsOf(value: unknown): Params {
  return isObject(value) ? value : {};
}
