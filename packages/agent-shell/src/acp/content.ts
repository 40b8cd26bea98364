// Content blocks of ACP v1: what prompts and messages are made of, as far as this agent uses them.

/** Plain text. */
export interface TextBlock {
  type: "text";
  text: string;
}

/** A pointer to something that the reader can fetch. */
export interface ResourceLinkBlock {
  type: "resource_link";
  uri: string;
  name: string;
}

/** Something that came along with the prompt. */
export interface ResourceBlock {
  type: "resource";
  resource: { uri: string; text: string } | { uri: string; blob: string };
}

/** The kinds of content that this agent takes. */
export type ContentBlock = TextBlock | ResourceLinkBlock | ResourceBlock;

/** Makes a text block. */
export function textBlock(text: string): TextBlock {
  return { type: "text", text };
}
