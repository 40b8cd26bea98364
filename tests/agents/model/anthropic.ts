// The Anthropic Messages API as the scripted model speaks it: requests read, answers written as events or as one object.
import { objectOf, objectsIn, textOf, type JsonObject } from "./json.ts";
import type { ModelMessage, ModelRequest, NamedCall } from "./script.ts";
import type { ReplyWriter } from "./reply.ts";

/** Reads the body of `POST /v1/messages`. */
export function readMessagesRequest(body: JsonObject): ModelRequest {
  return {
    api: "anthropic",
    isStream: body["stream"] === true,
    tools: objectsIn(body["tools"]).map(({ name }) => textOf(name)),
    messages: objectsIn(body["messages"]).flatMap(readMessage),
  };
}

function readMessage({ role, content }: JsonObject): ModelMessage[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);
  const text = textIn(blocks);
  if (role === "assistant") return [{ role, text }];
  const results = blocks.filter(({ type }) => type === "tool_result");
  const messages: ModelMessage[] = results.map((result) => ({
    role: "tool",
    text: typeof result["content"] === "string" ? result["content"] : textIn(objectsIn(result["content"])),
  }));
  return text === "" ? messages : [...messages, { role: "user", text }];
}

function textIn(blocks: readonly JsonObject[]): string {
  return blocks.map(({ text }) => textOf(text)).join("");
}

/** Writes an answer as server-sent events. */
export function messagesWriter(id: string, send: (text: string) => void): ReplyWriter {
  let index = -1;
  let isTextOpen = false;
  const event = (type: string, data: object): void =>
    send(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const closeText = (): void => {
    if (isTextOpen) event("content_block_stop", { index });
    isTextOpen = false;
  };
  return {
    start: () => event("message_start", { message: { ...emptyMessage(id), stop_reason: null } }),
    text(text) {
      if (!isTextOpen) {
        index += 1;
        isTextOpen = true;
        event("content_block_start", { index, content_block: { type: "text", text: "" } });
      }
      event("content_block_delta", { index, delta: { type: "text_delta", text } });
    },
    call({ id: callId, name, input }) {
      closeText();
      index += 1;
      const block = { type: "tool_use", id: callId, name, input: {} };
      event("content_block_start", { index, content_block: block });
      const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
      event("content_block_delta", { index, delta });
      event("content_block_stop", { index });
    },
    end(hasCalls) {
      closeText();
      const delta = { stop_reason: hasCalls ? "tool_use" : "end_turn", stop_sequence: null };
      event("message_delta", { delta, usage: { output_tokens: 5 } });
      event("message_stop", {});
    },
  };
}

/** An answer as one object. */
export function wholeMessage(id: string, text: string, calls: readonly NamedCall[]): object {
  const content = [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map((call) => ({ type: "tool_use", ...call })),
  ];
  return { ...emptyMessage(id), content, stop_reason: calls.length > 0 ? "tool_use" : "end_turn" };
}

function emptyMessage(id: string): object {
  return {
    id,
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [],
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  };
}

/** The response of `GET /v1/models`. */
export const modelList = objectOf({
  object: "list",
  data: [
    {
      type: "model",
      object: "model",
      id: "scripted",
      display_name: "Scripted",
      created_at: "2026-01-01T00:00:00Z",
    },
  ],
  has_more: false,
});
