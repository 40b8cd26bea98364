// The contents and results of tool calls as AHP writes them, and as clients that contribute tools send them.
import type { FileVersion, ToolContent, ToolFailure, ToolSuccess } from "../../model/chat/tool-call.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { flag, jsonObject, jsonValue, list, object, optional, text, type Shape } from "../../model/shape.ts";
import type { ChatStyle } from "./chat.ts";
import { exitCodeOf } from "./terminal.ts";
import { editUri, fileUri, type EditAddress, type ToolCallPlace } from "./uri.ts";
import type { WireContentRef, WireFileEdit, WireToolContent } from "./wire-chat.ts";

type FileEdit = Extract<ToolContent, { type: "fileEdit" }>;
type TerminalContent = Extract<ToolContent, { type: "terminal" }>;

/** The contents that AHP knows; a kind that only the agent knows is left out. Absent when there are none. */
export function showToolContents(
  contents: readonly ToolContent[],
  place: ToolCallPlace,
  style: ChatStyle,
): readonly WireToolContent[] | undefined {
  const shown = contents.flatMap((content, index) => showToolContent(content, { ...place, index }, style));
  return shown.length > 0 ? shown : undefined;
}

/** The edits among the contents, for a person who is asked whether they may be made. */
export function showFileEdits(
  contents: readonly ToolContent[],
  place: ToolCallPlace,
): { readonly items: readonly WireFileEdit[] } | undefined {
  const items = contents.flatMap((content, index) =>
    content.type === "fileEdit" ? [showFileEdit(content, { ...place, index })] : [],
  );
  return items.length > 0 ? { items } : undefined;
}

type ItemPlace = Omit<EditAddress, "side">;

function showToolContent(
  content: ToolContent,
  place: ItemPlace,
  style: ChatStyle,
): readonly WireToolContent[] {
  switch (content.type) {
    case "text":
    case "embeddedResource":
      return [content];
    case "resource": {
      const { type, uri, contentType, sizeBytes } = content;
      return [{ type, uri, contentType, sizeHint: sizeBytes }];
    }
    case "fileEdit":
      return [{ type: "fileEdit", ...showFileEdit(content, place) }];
    case "terminal":
      return [showTerminalContent(content, style)];
    case "raw":
      return [];
  }
}

/** An edit with both texts by reference: they may be long, and most viewers never open them (E12). */
function showFileEdit({ path, before, after }: FileEdit, place: ItemPlace): WireFileEdit {
  const uri = fileUri(path);
  return {
    before: before && { uri, content: contentRef(before, { ...place, side: "before" }) },
    after: after && { uri, content: contentRef(after, { ...place, side: "after" }) },
  };
}

function contentRef(version: FileVersion, address: EditAddress): WireContentRef {
  return version.kind === "ref"
    ? { uri: version.uri, sizeHint: version.sizeBytes }
    : { uri: editUri(address), contentType: "text/plain" };
}

function showTerminalContent(
  { type, resource, title, isPty, result }: TerminalContent,
  style: ChatStyle,
): WireToolContent {
  const shown = { type, resource: style.showUri(resource), title };
  if (!style.hasTerminalResults) return shown;
  return {
    ...shown,
    isPty,
    // A result means that the command has exited.
    result: result?.exit && {
      exitCode: exitCodeOf(result.exit),
      preview: result.preview,
      truncated: result.skippedBytes > 0,
    },
  };
}

interface WrittenResult {
  readonly success: boolean;
  readonly pastTenseMessage?: JsonValue;
  readonly structuredContent?: JsonObject;
  readonly error?: { readonly message: string; readonly code?: string };
  readonly content?: readonly JsonObject[];
}

export const writtenResultShape: Shape<WrittenResult> = object<WrittenResult>({
  success: flag,
  pastTenseMessage: optional(jsonValue),
  structuredContent: optional(jsonObject),
  error: optional(object<{ message: string; code?: string }>({ message: text, code: optional(text) })),
  content: optional(list(jsonObject)),
});

/** The result of a client's own tool, as the model has it. */
export function readResult(written: WrittenResult): ToolSuccess | ToolFailure {
  const { success, pastTenseMessage, structuredContent, error } = written;
  const shown = {
    pastTenseMessage: pastTenseMessage === undefined ? undefined : plainText(pastTenseMessage),
    rawOutput: structuredContent,
  };
  if (success) return { success, ...shown };
  return { success, ...shown, error: error && { code: error.code ?? "tool_failed", message: error.message } };
}

export function readContents(contents: readonly JsonObject[]): readonly ToolContent[] {
  return contents.map((content): ToolContent => {
    const { type, text: written, data, contentType, uri } = content;
    if (type === "text" && typeof written === "string") return { type, text: written };
    if (type === "embeddedResource" && typeof data === "string" && typeof contentType === "string") {
      return { type, data, contentType };
    }
    if (type === "resource" && typeof uri === "string") return { type, uri };
    return { type: "raw", value: content };
  });
}

/** AHP writes some texts either plainly or as `{markdown}`. */
function plainText(value: JsonValue): string {
  if (typeof value === "string") return value;
  const markdown =
    typeof value === "object" && value !== null && "markdown" in value ? value["markdown"] : "";
  return typeof markdown === "string" ? markdown : "";
}
