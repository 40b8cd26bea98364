// Content of agents' tool calls and messages, in the model's shape.
import type { TerminalResult, TerminalUri, ToolContent } from "@holdfast/ahp";
import { boundTitle } from "../channel/title.ts";
import { jsonOf, type AcpContent, type AcpToolContent } from "./acp.ts";

/** A terminal that a tool call can show. */
export interface ShownTerminal {
  readonly uri: TerminalUri;
  readonly title: string;
  readonly isPty: boolean;
  readonly hasExited: boolean;
  /** Its output and exit as they are now. */
  readonly result: TerminalResult;
  /** Resolves when its command has exited. */
  readonly exited: Promise<unknown>;
}

/** A piece of a tool call's content; a terminal that it shows is added to `terminals`. */
export function readToolContent(
  part: AcpToolContent,
  known: { terminal(terminalId: string): ShownTerminal | undefined },
  terminals: Map<TerminalUri, ShownTerminal>,
): ToolContent {
  if (part.type === "diff" && typeof part.path === "string") {
    const before =
      typeof part.oldText === "string" ? { before: { kind: "text" as const, text: part.oldText } } : {};
    return {
      type: "fileEdit",
      path: part.path,
      ...before,
      after: { kind: "text", text: part.newText ?? "" },
    };
  }
  if (part.type === "terminal" && typeof part.terminalId === "string") {
    const terminal = known.terminal(part.terminalId);
    if (terminal !== undefined) {
      terminals.set(terminal.uri, terminal);
      return {
        type: "terminal",
        resource: terminal.uri,
        title: boundTitle(terminal.title),
        isPty: terminal.isPty,
      };
    }
  }
  if (part.type === "content" && part.content !== undefined) {
    const { content } = part;
    if (content.type === "text") return { type: "text", text: content.text ?? "" };
    const embedded = readEmbedded(content);
    if (embedded !== undefined) return { type: "embeddedResource", ...embedded };
    if (typeof content.uri === "string") {
      return {
        type: "resource",
        uri: content.uri,
        ...(typeof content.mimeType === "string" && { contentType: content.mimeType }),
      };
    }
  }
  return { type: "raw", value: jsonOf(part) };
}

/** The data inside a piece of content, in base64; undefined where it only refers to something. */
export function readEmbedded({
  data,
  mimeType,
  uri,
  resource,
}: AcpContent): { readonly data: string; readonly contentType: string } | undefined {
  const { text, blob, mimeType: type } = resource ?? {};
  if (typeof text === "string") {
    return { data: Buffer.from(text).toString("base64"), contentType: type ?? "text/plain" };
  }
  const bytes = blob ?? data;
  // A picture may come both ways, and is then read from its place.
  if (typeof bytes !== "string" || (typeof blob !== "string" && typeof uri === "string")) return undefined;
  return { data: bytes, contentType: type ?? mimeType ?? "application/octet-stream" };
}
