// Slash commands with which clients are tested: a question, a long turn, many updates (S340).
import { randomUUID } from "node:crypto";
import { setImmediate as nextTick, setTimeout as wait } from "node:timers/promises";
import { RpcError } from "@holdfast/jsonrpc";
import type { AnswerForm, ElicitationResult } from "../acp/client-methods.ts";
import { textBlock } from "../acp/session-update.ts";
import { fence, formatDuration } from "../turn/message-text.ts";
import type { Turn } from "../turn/turn.ts";
import { readCount, type SlashCommand, splitWords, usageOf } from "./slash-command.ts";

const FORM: AnswerForm = {
  type: "object",
  properties: { answer: { type: "string", title: "Answer" } },
  required: ["answer"],
};

/** Asks a question with one line for the answer (S14). */
export const ask: SlashCommand = {
  name: "ask",
  description: "Be asked a question",
  hint: "<question>",
  async run(turn, input) {
    const { client, session, signal } = turn;
    const message = input.trim();
    if (message === "") {
      await turn.say(`Usage: ${usageOf(ask)}`);
      return;
    }
    if (client.capabilities?.canShowForms !== true) {
      await turn.say("This client cannot ask questions for agents.");
      return;
    }
    try {
      const params = { sessionId: session.id, mode: "form" as const, message, requestedSchema: FORM };
      await turn.say(describeAnswer(await client.request("elicitation/create", params, { signal })));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      await turn.say(`The question could not be asked: ${error.message}`);
    }
  },
};

function describeAnswer({ action, content }: ElicitationResult): string {
  switch (action) {
    case "accept": {
      const answer = content?.answer;
      return typeof answer === "string" ? `You answered:\n${fence(answer)}` : "You sent no answer.";
    }
    case "decline": {
      return "You declined to answer.";
    }
    case "cancel": {
      return "You dismissed the question.";
    }
    default: {
      return `The question ended with ${action}.`;
    }
  }
}

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
    const isReady = client.send(session.id, { sessionUpdate: "agent_message_chunk", messageId, content });
    if (!isReady) await client.drained(signal);
    else if (index % CHUNKS_PER_TICK === CHUNKS_PER_TICK - 1) await nextTick();
  }
}

const DAY_SECONDS = 24 * 60 * 60;

/** Waits; a cancel ends it (S15). */
export const sleep: SlashCommand = {
  name: "sleep",
  description: "Wait, up to a day",
  hint: "<seconds>",
  async run(turn, input) {
    const word = input.trim();
    const seconds = /^\d+(\.\d+)?$/.test(word) ? Number(word) : Number.NaN;
    if (!(seconds <= DAY_SECONDS)) {
      await turn.say(`Usage: ${usageOf(sleep)}`);
      return;
    }
    const startedAtMs = performance.now();
    await wait(seconds * 1000, undefined, { signal: turn.signal });
    await turn.say(`Slept ${formatDuration(performance.now() - startedAtMs)}.`);
  },
};
