// `/read` and `/write`: files through the client, a write after showing the difference.
import { resolve } from "node:path";
import { RpcError } from "@holdfast/jsonrpc";
import { RESOURCE_NOT_FOUND } from "../acp/params.ts";
import { textContent } from "../acp/session-update.ts";
import { MAX_OUTPUT_BYTES } from "../terminal.ts";
import { fence, inlineCode, tailOf } from "../turn/message-text.ts";
import { askPermission } from "../turn/permission.ts";
import type { Turn } from "../turn/turn.ts";
import { readCount, type SlashCommand, splitWords, takeWord, usageOf } from "./slash-command.ts";

interface ReadRequest {
  path: string;
  line?: number;
  limit?: number;
}

/** Reads a file, or some lines of it, as the client sees it, unsaved changes included (S12). */
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

/** Writes a text to a file, exactly as it was typed (S13). */
export const write: SlashCommand = {
  name: "write",
  description: "Write a file; the text may have several lines",
  hint: "<path> <text>",
  async run(turn, input) {
    const taken = takeWord(input);
    if (taken === undefined) {
      await turn.say(`Usage: ${usageOf(write)}`);
      return;
    }
    if (turn.client.capabilities?.canWriteFiles !== true) {
      await turn.say("This client does not write files for agents.");
      return;
    }
    await writeFile(turn, resolve(turn.session.cwd, taken.word), taken.rest);
  },
};

async function writeFile(turn: Turn, path: string, content: string): Promise<void> {
  const { session, client, signal } = turn;
  const oldText = await readOldText(turn, path);
  const call = await turn.openCall({
    title: `Write ${path}`,
    kind: "edit",
    locations: [{ path }],
    content: [{ type: "diff", path, oldText, newText: content }],
    rawInput: { path, content },
  });
  const permission = await askPermission(turn, call, "writes");
  if (permission.decision === "refused") {
    await call.end("failed", { rawOutput: { error: permission.reason } });
    await turn.say(`${inlineCode(path)} was not written: ${permission.reason}.`);
    return;
  }
  await call.update({ status: "in_progress" });
  try {
    await client.request("fs/write_text_file", { sessionId: session.id, path, content }, { signal });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    await call.end("failed", { rawOutput: { error: error.message } });
    await turn.say(`${inlineCode(path)} could not be written: ${error.message}`);
    return;
  }
  const sizeBytes = Buffer.byteLength(content);
  await call.end("completed", { rawOutput: { sizeBytes } });
  await turn.say(`Wrote ${sizeBytes} bytes to ${inlineCode(path)}.`);
}

/** The text before; `null` for a new file, and where it cannot be known, which is then said. */
async function readOldText(turn: Turn, path: string): Promise<string | null> {
  const { session, client, signal } = turn;
  if (client.capabilities?.canReadFiles !== true) {
    await turn.think("This client does not read files for agents, so the diff does not show the old text.");
    return null;
  }
  try {
    return (await client.request("fs/read_text_file", { sessionId: session.id, path }, { signal })).content;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    // Clients differ in how they say that a file is missing; only this code says it surely.
    if (error.code !== RESOURCE_NOT_FOUND) {
      await turn.think(`The old text could not be read: ${error.message}`);
    }
    return null;
  }
}
