// The prompt of a command: its words, with `-` for what stands on stdin, or stdin alone (C22).
import { text } from "node:stream/consumers";
import type { Console } from "../../console.ts";

/** The prompt; undefined when none was given and a person is there who could type it. */
export async function readPrompt(
  words: readonly string[],
  { streams: { stdin } }: Console,
): Promise<string | undefined> {
  const place = words.indexOf("-");
  if (place === -1 && words.length > 0) return words.join(" ");
  if (place === -1 && stdin.isTTY) return undefined;
  const given = (await text(stdin)).trimEnd();
  const before = words.slice(0, Math.max(place, 0)).join(" ");
  const after = words.slice(place + 1).join(" ");
  return [before, given, after].filter((part) => part !== "").join("\n\n");
}
