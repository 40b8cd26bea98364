// The part of ACP v1 that the host uses, read tolerantly: unknown fields and kinds pass through.
import type { ConnectedAgent, JsonObject, JsonValue, TurnUsage } from "@holdfast/ahp";
import type { CatalogueAgent, Quirk } from "@holdfast/protocol";

/** The protocol version that the host speaks. */
export const ACP_VERSION = 1;

/** A piece of content. For optional members ACP allows null. */
export interface AcpContent {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string | null;
  readonly uri?: string | null;
  readonly name?: string;
  /** Of the type `resource`: a text or bytes in base64. */
  readonly resource?: {
    readonly uri?: string;
    readonly mimeType?: string | null;
    readonly text?: string;
    readonly blob?: string;
  };
}

/** Content of a tool call. */
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

/** A message of an agent, as parsed JSON. */
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

/** The response to `initialize`. */
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
      readonly fork?: unknown;
    };
    readonly _meta?: {
      readonly holdfast?: {
        /** Whether the text of a message is run as commands, as by the built-in agent. */
        readonly runsMessages?: boolean;
      } | null;
    } | null;
  };
  readonly authMethods?: readonly AcpAuthMethod[];
  readonly _meta?: {
    /** `_session/steering`, which claude-agent-acp, codex-acp and pi-acp have. */
    readonly steering?: { readonly supported?: boolean } | null;
  } | null;
}

/** The sign-in state that an agent reports; `kind` is `none` where there is none. */
export interface AcpAuthStatus {
  readonly kind: string;
  readonly label?: string;
}

/** A way to sign in to an agent: by `authenticate`, by variables, or by a command in a terminal. */
export interface AcpAuthMethod {
  readonly id: string;
  readonly name: string;
  readonly type?: string;
  readonly args?: readonly string[];
  readonly vars?: readonly { readonly name: string }[];
  readonly _meta?: {
    readonly "terminal-auth"?: { readonly command?: string; readonly args?: readonly string[] };
  } | null;
}

interface AcpNamedValue {
  readonly name: string;
  readonly value: string;
}

/** An MCP server in the form in which agents receive it. */
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

/** The models of a session, as agents reported them before ACP had options for it; many still do. */
export interface AcpModels {
  readonly currentModelId: string;
  readonly availableModels: readonly {
    readonly modelId: string;
    readonly name?: string;
    readonly description?: string | null;
  }[];
}

/** The response to `session/new`, `session/load` and `session/resume`. */
export interface AcpSessionResult {
  readonly sessionId?: string;
  readonly modes?: AcpModes | null;
  readonly models?: AcpModels | null;
  readonly configOptions?: readonly AcpConfigOption[] | null;
}

/** The response to `session/prompt`. */
export interface AcpPromptResult {
  readonly stopReason: string;
  readonly usage?: JsonObject;
}

/** The host's own `initialize` parameters. */
export const CLIENT_CAPABILITIES = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
  session: { configOptions: { boolean: {} } },
  // The command goes to people as the remedy of a missing sign-in, to be run in a terminal.
  auth: { terminal: true },
  _meta: { terminal_output: true, "terminal-auth": true },
} as const;

/** The model's names, and what agents call them: ACP's own name first. */
const names = {
  inputTokens: ["inputTokens", "input_tokens"],
  outputTokens: ["outputTokens", "output_tokens"],
  cacheReadTokens: ["cachedReadTokens", "cached_read_tokens", "cacheReadTokens"],
  cacheWriteTokens: ["cachedWriteTokens", "cached_write_tokens", "cacheWriteTokens"],
  thoughtTokens: ["thoughtTokens", "thought_tokens"],
  totalTokens: ["totalTokens", "total_tokens"],
} as const satisfies { [Name in keyof TurnUsage]?: readonly string[] };

/** The usage; undefined where nothing of it could be read. */
export function readUsage(usage: JsonObject | null | undefined): TurnUsage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const read = Object.entries(names).flatMap(([name, spellings]) => {
    const tokens = spellings.map((spelling) => usage[spelling]).find(isCount);
    return tokens === undefined ? [] : [[name, tokens] as const];
  });
  return read.length === 0 ? undefined : Object.fromEntries(read);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** The methods that resume a session of an earlier process, the best first. */
export function listReopenMethods(
  { agentCapabilities }: AcpInitializeResult,
  quirks: readonly Quirk[],
): ("session/resume" | "session/load")[] {
  if (quirks.includes("cannot-load-after-restart")) return [];
  return [
    ...(isMarked(agentCapabilities?.sessionCapabilities?.resume) ? (["session/resume"] as const) : []),
    ...(agentCapabilities?.loadSession === true ? (["session/load"] as const) : []),
  ];
}

/** Whether an agent supports `session/close`. */
export function canCloseSession({ agentCapabilities }: AcpInitializeResult): boolean {
  return isMarked(agentCapabilities?.sessionCapabilities?.close);
}

/** An agent as the model has it. */
export function describeAgent(
  info: AcpInitializeResult,
  { quirks, asks, askModes }: Pick<CatalogueAgent, "quirks" | "asks" | "askModes">,
): ConnectedAgent {
  const { agentInfo, agentCapabilities } = info;
  const prompt = agentCapabilities?.promptCapabilities ?? {};
  const [best] = listReopenMethods(info, quirks);
  return {
    name: agentInfo?.name ?? "agent",
    resume: best === undefined ? "none" : best === "session/resume" ? "resume" : "load",
    accepts: (["image", "audio", "embeddedContext"] as const).filter((kind) => prompt[kind] === true),
    ...(typeof agentInfo?.version === "string" && { version: agentInfo.version }),
    ...(isMarked(agentCapabilities?.sessionCapabilities?.fork) && { forks: true }),
    ...(runsMessages(info) && { runsMessages: true }),
    ...(!asks && { asks, askModes }),
  };
}

/** Whether an agent runs the text of a message as commands. */
export function runsMessages({ agentCapabilities }: AcpInitializeResult): boolean {
  return agentCapabilities?._meta?.holdfast?.runsMessages === true;
}

/** Support is marked by an object, by some agents with `true`; null and false mean the same as nothing. */
function isMarked(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
