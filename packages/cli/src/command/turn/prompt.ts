// Prompt of a command: its words, `-` for what stands on stdin, and attached files (C22, C25).
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import type { AcpAttachment } from "@holdfast/sdk";
import { CommandError, messageOf } from "../../command-error.ts";
import type { Console } from "../../console.ts";
import { EXIT_CODES } from "../../exit-codes.ts";

/** The prompt; undefined when none was given and a person is there who could type it. */
export async function readPrompt(
  words: readonly string[],
  { streams: { stdin } }: Console,
): Promise<string | undefined> {
  const place = words.indexOf("-");
  if (place === -1 && words.length > 0) return words.join(" ");
  if (place === -1 && stdin.isTTY) return undefined;
  const given = (await readText(stdin)).trimEnd();
  const before = words.slice(0, Math.max(place, 0)).join(" ");
  const after = words.slice(place + 1).join(" ");
  return [before, given, after].filter((part) => part !== "").join("\n\n");
}

/** The host's limit for one message, less the overhead of base64 and the message itself. */
const maxBytes = 23 * 1024 * 1024;

const types: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".wav": "audio/wav",
  ".mp3": "audio/mpeg",
  ".ogg": "audio/ogg",
  ".pdf": "application/pdf",
  ".json": "application/json",
  ".md": "text/markdown",
  ".html": "text/html",
  ".css": "text/css",
  ".csv": "text/csv",
  ".xml": "application/xml",
  ".zip": "application/zip",
};

export function readAttachments(files: readonly string[], cwd: string): AcpAttachment[] {
  let totalBytes = 0;
  return files.map((file) => {
    const whole = path.resolve(cwd, file);
    totalBytes += sizeOf(whole, file);
    if (totalBytes > maxBytes) throw unusable(file, "together they are larger than 23 MiB");
    return readAttachment(whole);
  });
}

function readAttachment(file: string): AcpAttachment {
  const bytes = readFileSync(file);
  const mime = types[path.extname(file).toLowerCase()] ?? typeOf(bytes);
  return { mime, contentString: `data:${mime};base64,${bytes.toString("base64")}` };
}

function sizeOf(file: string, named: string): number {
  try {
    const status = statSync(file);
    if (status.isFile()) return status.size;
  } catch (cause) {
    throw unusable(named, messageOf(cause), cause);
  }
  throw unusable(named, "it is not a file");
}

/** Source code of any language is text, whatever its name ends in. */
function typeOf(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return "text/plain";
  } catch {
    // Not UTF-8, so it is not text that an agent could read.
  }
  return "application/octet-stream";
}

function unusable(file: string, why: string, cause?: unknown): CommandError {
  return new CommandError("ATTACHMENT_UNUSABLE", `${file} cannot be attached: ${why}.`, {
    exitCode: EXIT_CODES.setup,
    cause,
  });
}
