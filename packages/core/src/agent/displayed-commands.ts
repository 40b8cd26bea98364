// Reports of an agent about commands that it runs itself, separated from the update that carried them.
//
// In ACP v1 it is an agreement between agents and editors, in the `_meta` of tool calls: `terminal_info` announces a
// terminal, `terminal_output` and `terminal_output_delta` append to it, `terminal_exit` says how it ended. In v2 it is
// two separate updates. Agents send any of it in any order.
import type { AcpToolContent, AcpUpdate } from "./acp.ts";

/** One report of an agent about a terminal that the agent itself runs and names. */
export type DisplayNews = { readonly terminalId: string; readonly toolCallId?: string | undefined } & (
  | {
      readonly kind: "announced";
      /** Whether it starts empty where an earlier turn had one of that name. */
      readonly isNew: boolean;
      readonly title?: string | undefined;
      readonly cwd?: string | undefined;
    }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /** All that it shows, in place of what it showed. */
  | { readonly kind: "snapshot"; readonly bytes: Uint8Array }
  | { readonly kind: "exited"; readonly exitCode: number | null; readonly signal: string | null }
);

/** An update, taken apart. */
export interface ReadUpdate {
  readonly news: readonly DisplayNews[];
  /** The rest of the update; undefined when nothing is left. */
  readonly rest: AcpUpdate | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const outputKeys = ["terminal_output", "terminal_output_delta"] as const;
const metaKeys: ReadonlySet<string> = new Set(["terminal_info", ...outputKeys, "terminal_exit"]);

/** Takes an update apart; most have nothing of the kind and come back as they are. */
export function readDisplayNews(update: AcpUpdate): ReadUpdate {
  switch (update.sessionUpdate) {
    case "tool_call":
    case "tool_call_update":
      return readToolCall(update);
    case "terminal_update":
    case "terminal_output_chunk":
      return readTerminalUpdate(update);
    default:
      return { news: [], rest: update };
  }
}

function readToolCall(update: AcpUpdate): ReadUpdate {
  const { toolCallId } = update;
  if (typeof toolCallId !== "string") return { news: [], rest: update };
  const news = readMentions(update, toolCallId);
  const meta = fieldsOf(update["_meta"]);
  const hasNews = meta !== undefined && Object.keys(meta).some((key) => metaKeys.has(key));
  if (!hasNews) return { news, rest: update };
  const about = (fields: Fields): { toolCallId: string; terminalId: string } => ({
    toolCallId,
    terminalId: textOf(fields["terminal_id"]) ?? toolCallId,
  });
  const info = fieldsOf(meta["terminal_info"]);
  if (info !== undefined) {
    const title = textOf(update.title);
    news.push({ ...about(info), kind: "announced", isNew: true, title, cwd: textOf(info["cwd"]) });
  }
  for (const key of outputKeys) {
    const output = fieldsOf(meta[key]);
    const text = textOf(output?.["data"]);
    if (output !== undefined && text !== undefined) news.push({ ...about(output), kind: "text", text });
  }
  const exit = fieldsOf(meta["terminal_exit"]);
  if (exit !== undefined) {
    news.push({ ...about(exit), kind: "exited", ...readExit(exit["exit_code"], exit["signal"]) });
  }
  return { news, rest: withoutNews(update, meta) };
}

/** Terminals that a tool call shows: the reference may come before any report about one. */
function readMentions(update: AcpUpdate, toolCallId: string): DisplayNews[] {
  if (!Array.isArray(update.content)) return [];
  const isNew = update.sessionUpdate === "tool_call";
  const title = textOf(update.title);
  return (update.content as readonly AcpToolContent[]).flatMap(({ type, terminalId }): DisplayNews[] =>
    type === "terminal" && typeof terminalId === "string"
      ? [{ kind: "announced", terminalId, toolCallId, isNew, title }]
      : [],
  );
}

/** Displayed output is kept once, with its terminal; a flood of output is no change of the tool call. */
function withoutNews(update: AcpUpdate, meta: Fields): AcpUpdate | undefined {
  const otherMeta = Object.entries(meta).filter(([key]) => !metaKeys.has(key));
  const { _meta, ...others } = update;
  if (otherMeta.length > 0) return { ...others, _meta: Object.fromEntries(otherMeta) };
  return Object.keys(others).length > 2 ? { ...others, sessionUpdate: update.sessionUpdate } : undefined;
}

function readTerminalUpdate(update: AcpUpdate): ReadUpdate {
  const terminalId = textOf(update["terminalId"]);
  if (terminalId === undefined) return { news: [], rest: update };
  if (update.sessionUpdate === "terminal_output_chunk") {
    const bytes = bytesOf(update["data"]);
    return { news: bytes === undefined ? [] : [{ kind: "bytes", terminalId, bytes }], rest: undefined };
  }
  const title = textOf(update["command"]);
  const cwd = textOf(update["cwd"]);
  const news: DisplayNews[] = [{ kind: "announced", terminalId, isNew: false, title, cwd }];
  const bytes = bytesOf(fieldsOf(update["output"])?.["data"]);
  if (bytes !== undefined) news.push({ kind: "snapshot", terminalId, bytes });
  const exit = fieldsOf(update["exitStatus"]);
  if (exit !== undefined) {
    news.push({ kind: "exited", terminalId, ...readExit(exit["exitCode"], exit["signal"]) });
  }
  return { news, rest: undefined };
}

function readExit(exitCode: unknown, signal: unknown): { exitCode: number | null; signal: string | null } {
  return {
    exitCode: Number.isSafeInteger(exitCode) ? Number(exitCode) : null,
    signal: textOf(signal) ?? null,
  };
}

/** The members of `rawOutput` that hold what a command wrote, the fullest first. */
const outputMembers = ["aggregated_output", "formatted_output", "output", "stdout"] as const;

/** A command's output, where an agent reports it only in the tool call's `rawOutput`, as Codex in Rust does. */
export function readOutputText(rawOutput: unknown): string | undefined {
  if (typeof rawOutput === "string") return rawOutput === "" ? undefined : rawOutput;
  const fields = fieldsOf(rawOutput);
  const found = outputMembers
    .map((name) => textOf(fields?.[name]))
    .find((text) => text !== undefined && text !== "");
  const errors = textOf(fields?.["stderr"]) ?? "";
  if (found === undefined) return errors === "" ? undefined : errors;
  return found === textOf(fields?.["stdout"]) ? `${found}${errors}` : found;
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null ? (value as Fields) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function bytesOf(value: unknown): Uint8Array | undefined {
  return typeof value === "string" ? Buffer.from(value, "base64") : undefined;
}
