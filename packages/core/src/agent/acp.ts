// The words of ACP v1 that the host uses, read tolerantly: unknown fields and kinds pass through.
import type { JsonObject, JsonValue } from "@holdfast/ahp";

/** The protocol version that the host speaks. */
export const ACP_VERSION = 1;

/** A piece of content. */
export interface AcpContent {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly uri?: string;
  readonly name?: string;
}

/** What a tool call shows. */
export interface AcpToolContent {
  readonly type: string;
  readonly content?: AcpContent;
  readonly path?: string;
  readonly oldText?: string | null;
  readonly newText?: string;
  readonly terminalId?: string;
}

/** A tool call, whole or in part. */
export interface AcpToolCall {
  readonly toolCallId: string;
  readonly title?: string | null;
  readonly name?: string | null;
  readonly kind?: string | null;
  readonly status?: string | null;
  readonly content?: readonly AcpToolContent[] | null;
  readonly locations?: readonly { readonly path: string; readonly line?: number | null }[] | null;
  readonly rawInput?: JsonValue;
  readonly rawOutput?: JsonValue;
}

/** One `session/update`, whatever its kind: a message has one piece of content, a tool call any number. */
export interface AcpUpdate extends Partial<Omit<AcpToolCall, "content">> {
  readonly sessionUpdate: string;
  readonly messageId?: string | null;
  readonly content?: AcpContent | AcpToolCall["content"];
  readonly [field: string]: unknown;
}

/** What an agent sent, as the JSON that it was read from. */
export function jsonOf(received: object): JsonObject {
  return received as JsonObject;
}

/** A choice of a permission request. */
export interface AcpPermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

/** A mode of a session. */
export interface AcpModes {
  readonly currentModeId: string;
  readonly availableModes: readonly {
    readonly id: string;
    readonly name: string;
    readonly description?: string | null;
  }[];
}

/** A setting that an agent offers. */
export interface AcpConfigOption {
  readonly id: string;
  readonly name: string;
  readonly description?: string | null;
  readonly category?: string | null;
  readonly type: string;
  readonly currentValue: string | boolean;
  readonly options?: readonly AcpConfigChoice[];
}

/** A value of a select option, or a group of them. */
export interface AcpConfigChoice {
  readonly value?: string;
  readonly name: string;
  readonly description?: string | null;
  readonly options?: readonly AcpConfigChoice[];
}

/** The answer to `initialize`. */
export interface AcpInitializeResult {
  readonly protocolVersion: number;
  readonly agentInfo?: { readonly name: string; readonly title?: string; readonly version?: string } | null;
  readonly agentCapabilities?: {
    readonly loadSession?: boolean;
    readonly promptCapabilities?: {
      readonly image?: boolean;
      readonly audio?: boolean;
      readonly embeddedContext?: boolean;
    };
    readonly mcpCapabilities?: { readonly http?: boolean; readonly sse?: boolean };
    readonly sessionCapabilities?: {
      readonly resume?: unknown;
      readonly close?: unknown;
      readonly list?: unknown;
    };
  };
  readonly authMethods?: readonly { readonly id: string; readonly name: string }[];
}

interface AcpNamedValue {
  readonly name: string;
  readonly value: string;
}

/** An MCP server, as an agent is told of it. */
export type AcpMcpServer =
  | {
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly AcpNamedValue[];
    }
  | {
      readonly type: "http" | "sse";
      readonly name: string;
      readonly url: string;
      readonly headers: readonly AcpNamedValue[];
    };

/** The models of a session, as agents told them before there were options for it; many still do. */
export interface AcpModels {
  readonly currentModelId: string;
  readonly availableModels: readonly {
    readonly modelId: string;
    readonly name?: string;
    readonly description?: string | null;
  }[];
}

/** The answer to `session/new`, `session/load` and `session/resume`. */
export interface AcpSessionResult {
  readonly sessionId?: string;
  readonly modes?: AcpModes | null;
  readonly models?: AcpModels | null;
  readonly configOptions?: readonly AcpConfigOption[] | null;
}

/** The answer to `session/prompt`. */
export interface AcpPromptResult {
  readonly stopReason: string;
  readonly usage?: JsonObject;
}

/** What the host tells an agent about itself. */
export const CLIENT_CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
  session: { configOptions: { boolean: {} } },
  _meta: { terminal_output: true },
} as const;
