// `/read`: shows a file as the client sees it, unsaved changes included.
import { resolve } from "node:path";
import { RpcError } from "@holdfast/jsonrpc";
import { textContent } from "../acp/tool-call.ts";
import { MAX_OUTPUT_BYTES } from "../terminal.ts";
import { fence, inlineCode, tailOf } from "../turn/fenced-text.ts";
import { usageOf } from "./slash-command.ts";
import { readCount, splitWords } from "./words.ts";
import type { Turn } from "../turn/turn.ts";
import type { SlashCommand } from "./slash-command.ts";

interface ReadRequest {
  path: string;
  line?: number;
  limit?: number;
}

/** Reads a file, or some lines of it (S12). */
export const read: SlashCommand = {
  name: "read",
  description: "Show a file",
  hint: "<path> [line] [limit]",
  async run(turn, input) {
    const request = readRequest(input, turn.session.cwd);
    if (request === undefined) {
      await turn.say(`Usage: ${usageOf(read)}`);
      return;
    }
    if (turn.client.capabilities?.canReadFiles !== true) {
      await turn.say("This client does not read files for agents.");
      return;
    }
    await showFile(turn, request);
  },
};

function readRequest(input: string, cwd: string): ReadRequest | undefined {
  const [path, ...numbers] = splitWords(input);
  if (path === undefined || numbers.length > 2) return undefined;
  const [line, limit] = numbers.map((word) => readCount(word, 1, 0xffff_ffff));
  if (numbers.length > 0 && line === undefined) return undefined;
  if (numbers.length > 1 && limit === undefined) return undefined;
  return {
    path: resolve(cwd, path),
    ...(line !== undefined && { line }),
    ...(limit !== undefined && { limit }),
  };
}

async function showFile(turn: Turn, request: ReadRequest): Promise<void> {
  const { path, line } = request;
  const call = await turn.openCall({
    title: `Read ${path}`,
    kind: "read",
    status: "in_progress",
    locations: [{ path, ...(line !== undefined && { line }) }],
    rawInput: request,
  });
  let content: string;
  try {
    const params = { sessionId: turn.session.id, ...request };
    ({ content } = await turn.client.request("fs/read_text_file", params, { signal: turn.signal }));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    await call.end("failed", { rawOutput: { error: error.message } });
    await turn.say(`${inlineCode(path)} could not be read: ${error.message}`);
    return;
  }
  const tail = tailOf(content, MAX_OUTPUT_BYTES);
  const text = tail.length < content.length ? `The end of the file:\n${fence(tail)}` : fence(tail);
  const sizeBytes = Buffer.byteLength(content);
  await call.end("completed", { content: [textContent(text)], rawOutput: { sizeBytes } });
  await turn.say(turn.session.output === "none" ? `Read ${sizeBytes} bytes of ${inlineCode(path)}.` : text);
}
