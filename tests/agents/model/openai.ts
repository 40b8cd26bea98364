// OpenAI's chat completions as the scripted model speaks them: requests read, answers written as events or as one object.
import { objectOf, objectsIn, textOf, type JsonObject } from "./json.ts";
import type { ReplyWriter } from "./reply.ts";
import type { ModelMessage, ModelRequest, NamedCall } from "./script.ts";

/** Reads the body of `POST /v1/chat/completions`. */
export function readChatRequest(body: JsonObject): ModelRequest {
  return {
    api: "openai",
    isStream: body["stream"] === true,
    tools: objectsIn(body["tools"]).map((tool) => textOf(objectOf(tool["function"])["name"])),
    messages: objectsIn(body["messages"]).flatMap(readMessage),
  };
}

function readMessage({ role, content }: JsonObject): ModelMessage[] {
  const text =
    typeof content === "string"
      ? content
      : objectsIn(content)
          .map((part) => textOf(part["text"]))
          .join("");
  return role === "user" || role === "tool" || role === "assistant" ? [{ role, text }] : [];
}

/** Writes an answer as server-sent events. */
export function chatWriter(id: string, send: (text: string) => void): ReplyWriter {
  const base = { id, object: "chat.completion.chunk", created: 0, model: "scripted" };
  let calls = 0;
  const chunk = (delta: object, finish: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    send(`data: ${JSON.stringify({ ...base, choices })}\n\n`);
  };
  return {
    start: () => chunk({ role: "assistant", content: "" }),
    text: (text) => chunk({ content: text }),
    call(call) {
      chunk({ tool_calls: [{ index: calls, ...toolCall(call) }] });
      calls += 1;
    },
    end(hasCalls) {
      chunk({}, hasCalls ? "tool_calls" : "stop");
      send(`data: ${JSON.stringify({ ...base, choices: [], usage })}\n\n`);
      send("data: [DONE]\n\n");
    },
  };
}

/** An answer as one object. */
export function wholeCompletion(id: string, text: string, calls: readonly NamedCall[]): object {
  const message = {
    role: "assistant",
    content: text,
    ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
  };
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  const choices = [{ index: 0, message, finish_reason }];
  return { id, object: "chat.completion", created: 0, model: "scripted", choices, usage };
}

function toolCall({ id, name, input }: NamedCall): object {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
