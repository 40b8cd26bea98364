// A sentence of the host, in which backticks mark commands.
import type { ReactNode } from "react";

export function CodeText({ text }: { readonly text: string }): ReactNode {
  const parts = text.split("`");
  // Without its second backtick the first one is a character like any other.
  if (parts.length % 2 === 0) return text;
  return parts.map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>));
}
