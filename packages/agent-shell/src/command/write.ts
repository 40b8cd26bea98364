// `/write`: writes a file through the client, after showing the difference.
import { resolve } from "node:path";
import { RpcError } from "@holdfast/jsonrpc";
import { RESOURCE_NOT_FOUND } from "../acp/error-code.ts";
import { inlineCode } from "../turn/fenced-text.ts";
import { askPermission } from "../turn/permission.ts";
import { usageOf } from "./slash-command.ts";
import { takeWord } from "./words.ts";
import type { Turn } from "../turn/turn.ts";
import type { SlashCommand } from "./slash-command.ts";

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
  if (permission.verdict === "refused") {
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
    await turn.think(
      "This client does not read files for agents: the difference does not show the old text.",
    );
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
