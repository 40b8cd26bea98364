// Replies of a scripted model: steps of text and tool calls, chosen by the prompt that a request is about.

/** One answer of the model: text in pieces, then tool calls. */
export interface ModelStep {
  readonly text?: readonly TextPiece[];
  readonly call?: ToolCall;
}

/** Text that is sent at once, or a wait before the next piece. */
export type TextPiece = string | { readonly pauseMs: number } | { readonly until: Promise<void> };

/** A tool that the model uses; each agent has its own name for it. */
export type ToolCall =
  | { readonly tool: "command"; readonly line: string }
  | { readonly tool: "write"; readonly path: string; readonly content: string }
  /** A tool of a client, by the client's name for it. */
  | { readonly tool: "lent"; readonly name: string; readonly input: Readonly<Record<string, string>> };

/** A tool call as an agent gets it. */
export interface NamedCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, string | number>>;
}

/** A message of a request, in the terms of both APIs. */
export interface ModelMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
}

/** A request to the model, in the terms of both APIs. */
export interface ModelRequest {
  readonly api: "anthropic" | "openai";
  readonly isStream: boolean;
  /** Names of the tools that the agent offers; side requests, for example for a title, offer none. */
  readonly tools: readonly string[];
  readonly messages: readonly ModelMessage[];
}

/** The place of a request in the scripts. */
export interface ScriptPlace {
  readonly prompt: string;
  /** Number of tool results since the prompt. */
  readonly round: number;
}

function namesOf(call: ToolCall): readonly string[] {
  switch (call.tool) {
    case "command":
      return ["mcp__acp__Bash", "Bash", "bash"];
    case "write":
      return ["mcp__acp__Write", "Write", "write"];
    case "lent":
      return [`mcp__editor__${call.name}`, `editor_${call.name}`];
  }
}

/** Marks a prompt, so that the model recognizes it in every request that has it. */
export function markPrompt(prompt: string): string {
  return `[[${prompt}]]`;
}

/**
 * Finds the newest marked prompt of a request and how far its turn is. Only the request counts, so an agent that
 * sends it again gets the same answer.
 */
export function placeOf({ tools, messages }: ModelRequest): ScriptPlace | undefined {
  if (tools.length === 0) return undefined;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role !== "user") continue;
    // After a cancelled turn, an agent may send its prompt and the next one as one message.
    const prompt = [...message.text.matchAll(/\[\[([\w-]+)\]\]/g)].at(-1)?.[1];
    if (prompt === undefined) continue;
    return { prompt, round: messages.slice(index).filter(({ role }) => role === "tool").length };
  }
  return undefined;
}

/** A tool call under the names of the agent that asks. */
export function nameCall(call: ToolCall, tools: readonly string[], id: string): NamedCall {
  const name = namesOf(call).find((each) => tools.includes(each));
  if (name === undefined) {
    throw new Error(`The agent offers no tool for "${call.tool}", only ${tools.join(", ")}`);
  }
  if (call.tool === "command") {
    // claude-code-acp requires a time limit, although its own description of the tool does not.
    const input = { command: call.line, description: "Runs a command of the test", timeout: 120_000 };
    return { id, name, input };
  }
  if (call.tool === "lent") return { id, name, input: call.input };
  const pathField = name === "write" ? "filePath" : "file_path";
  return { id, name, input: { [pathField]: call.path, content: call.content } };
}
