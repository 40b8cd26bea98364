// A prompt: its text, what it mentions, and what it asks for.
import { invalidParams, isObject, readString } from "../acp/params.ts";
import type { ContentBlock } from "../acp/session-update.ts";
import type { Params } from "../acp/params.ts";

export interface Prompt {
  readonly blocks: readonly ContentBlock[];
  /** The text blocks, a line break between two. Only this is run. */
  readonly text: string;
  /** The uris of everything else. */
  readonly mentions: readonly string[];
}

export type Task =
  | { kind: "lines"; lines: readonly string[] }
  | { kind: "slash"; name: string; input: string }
  | { kind: "nothing" };

/** Reads the blocks of `session/prompt`; kinds that were not offered are refused (S5). */
export function readPrompt(params: Params): Prompt {
  const { prompt } = params;
  if (!Array.isArray(prompt)) throw invalidParams("prompt", "an array of content blocks");
  const blocks = prompt.map(readBlock);
  return {
    blocks,
    text: blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    mentions: blocks.flatMap(mentionOf),
  };
}

/**
 * Finds out what a text asks for (S5). A slash command takes the whole prompt; a path such as `/bin/ls` is none.
 * Otherwise each line is a command; one that ends in a backslash continues on the next line.
 */
export function readTask(text: string): Task {
  const slash = /^\s*\/([A-Za-z][\w-]*)(?=\s|$)/.exec(text);
  if (slash?.[1] !== undefined) return { kind: "slash", name: slash[1], input: text.slice(slash[0].length) };
  const lines = text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/(?<!\\)((?:\\\\)*)\\\n/g, "$1")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  return lines.length === 0 ? { kind: "nothing" } : { kind: "lines", lines };
}

function readBlock(block: unknown, index: number): ContentBlock {
  const field = `prompt[${index}]`;
  if (!isObject(block)) throw invalidParams(field, "a content block");
  switch (block["type"]) {
    case "text": {
      if (typeof block["text"] !== "string") throw invalidParams(`${field}.text`, "a string");
      return { type: "text", text: block["text"] };
    }
    case "resource_link": {
      return { type: "resource_link", uri: readString(block, "uri"), name: readString(block, "name") };
    }
    case "resource": {
      return { type: "resource", resource: readResource(block["resource"], `${field}.resource`) };
    }
    default: {
      throw invalidParams(`${field}.type`, "text, resource_link or resource");
    }
  }
}

function readResource(
  resource: unknown,
  field: string,
): { uri: string; text: string } | { uri: string; blob: string } {
  if (!isObject(resource)) throw invalidParams(field, "an object");
  const uri = readString(resource, "uri");
  const { text, blob } = resource;
  if (typeof text === "string") return { uri, text };
  if (typeof blob === "string") return { uri, blob };
  throw invalidParams(field, "a resource with a text or a blob");
}

function mentionOf(block: ContentBlock): string[] {
  switch (block.type) {
    case "text": {
      return [];
    }
    case "resource_link": {
      return [block.uri];
    }
    case "resource": {
      return [block.resource.uri];
    }
  }
}
