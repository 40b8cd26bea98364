// What a tool call shows, in the words of ACP that the app API's clients know.
import { parseChannelUri, type FileVersion, type TerminalExit, type ToolContent } from "@holdfast/ahp";

/** One piece of content as an ACP content block; what ACP has no field for stands beside its own fields. */
export function describeContent(content: ToolContent): object {
  switch (content.type) {
    case "text":
      return { type: "content", content: { type: "text", text: content.text } };
    case "embeddedResource":
      return { type: "content", content: describeEmbedded(content.data, content.contentType) };
    case "resource":
      return {
        type: "content",
        content: {
          type: "resource_link",
          uri: content.uri,
          name: content.uri,
          ...(content.contentType !== undefined && { mimeType: content.contentType }),
          ...(content.sizeBytes !== undefined && { size: content.sizeBytes }),
        },
      };
    case "fileEdit":
      return { type: "diff", path: content.path, ...describeEdit(content.before, content.after) };
    case "terminal":
      return describeTerminal(content);
    case "raw":
      return content.value;
  }
}

function describeEmbedded(data: string, mimeType: string): object {
  const [kind] = mimeType.split("/", 1);
  if (kind === "image" || kind === "audio") return { type: kind, data, mimeType };
  return { type: "resource", resource: { blob: data, mimeType } };
}

function describeEdit(before: FileVersion | undefined, after: FileVersion | undefined): object {
  return {
    oldText: before?.kind === "text" ? before.text : null,
    newText: after?.kind === "text" ? after.text : "",
    ...(before?.kind === "ref" && { oldUri: before.uri }),
    ...(after?.kind === "ref" && { newUri: after.uri }),
    ...(after === undefined && { deleted: true }),
  };
}

function describeTerminal(content: Extract<ToolContent, { type: "terminal" }>): object {
  const { resource, title, isPty, result } = content;
  const address = parseChannelUri(resource);
  const terminalId = address?.kind === "terminal" ? address.terminalId : resource;
  return {
    type: "terminal",
    terminalId,
    resource,
    title,
    isPty,
    ...(result?.preview !== undefined && { output: result.preview }),
    ...(result !== undefined && {
      exitStatus: describeExit(result.exit),
      truncated: result.skippedBytes > 0,
    }),
  };
}

function describeExit(exit: TerminalExit): object {
  return {
    exitCode: exit.kind === "code" ? exit.exitCode : null,
    signal: exit.kind === "signal" ? exit.signal : null,
  };
}
