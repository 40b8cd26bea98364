// `/flood`: many small updates as fast as the client takes them, to see how it copes.
import { randomUUID } from "node:crypto";
import { setImmediate as nextTick } from "node:timers/promises";
import { textBlock } from "../acp/content.ts";
import { formatDuration } from "../turn/duration.ts";
import { usageOf } from "./slash-command.ts";
import { readCount, splitWords } from "./words.ts";
import type { Turn } from "../turn/turn.ts";
import type { SlashCommand } from "./slash-command.ts";

const MAX_COUNT = 10_000_000;
const MAX_CHUNK_BYTES = 1024 * 1024;
const DEFAULT_CHUNK_BYTES = 64;
/** After so many chunks without a pause the input is looked at, or a cancel would not be seen. */
const CHUNKS_PER_TICK = 256;

/** Sends chunks that each begin with their number (S16). */
export const flood: SlashCommand = {
  name: "flood",
  description: "Send many message chunks of at least so many bytes, each beginning with its number",
  hint: "<count> [bytes]",
  async run(turn, input) {
    const words = splitWords(input);
    const count = readCount(words[0] ?? "", 0, MAX_COUNT);
    const chunkBytes = readCount(words[1] ?? String(DEFAULT_CHUNK_BYTES), 1, MAX_CHUNK_BYTES);
    if (count === undefined || chunkBytes === undefined || words.length > 2) {
      await turn.say(`Usage: ${usageOf(flood)}`);
      return;
    }
    const startedAtMs = performance.now();
    await sendChunks(turn, count, chunkBytes);
    const duration = formatDuration(performance.now() - startedAtMs);
    await turn.say(`Sent ${count} chunks of ${chunkBytes} bytes in ${duration}.`);
  },
};

/** The chunks are not kept in the history: they would push out what is worth keeping. */
async function sendChunks(
  { client, session, signal }: Turn,
  count: number,
  chunkBytes: number,
): Promise<void> {
  const messageId = randomUUID();
  for (let index = 0; index < count; index += 1) {
    signal.throwIfAborted();
    const content = textBlock(`${index} `.padEnd(chunkBytes, "."));
    const isReady = client.tell(session.id, { sessionUpdate: "agent_message_chunk", messageId, content });
    if (!isReady) await client.drained(signal);
    else if (index % CHUNKS_PER_TICK === CHUNKS_PER_TICK - 1) await nextTick();
  }
}
