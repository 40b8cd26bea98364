// What a tool call shows, as AHP writes it.
import type { FileVersion, ToolContent } from "../../model/chat/tool-call.ts";
import type { ChatStyle } from "./chat-style.ts";
import { editUri, type EditAddress, type ToolCallPlace } from "./edit-uri.ts";
import { exitCodeOf } from "./exit.ts";
import { fileUri } from "./file-uri.ts";
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
    result: result && {
      exitCode: exitCodeOf(result.exit),
      preview: result.preview,
      truncated: result.skippedBytes > 0,
    },
  };
}
