// What every client of a session can know, whatever it speaks: messages, replies, tool calls, turn ends and terminal text.
import {
  fieldsOf,
  listOf,
  textOf,
  type WireFields,
} from "../../../packages/ahp/src/testing/wire/reference.ts";

export interface TurnPicture {
  readonly message: string;
  readonly reply: string;
  /** The end of each tool call, by its id. ACP and the event stream call a cancelled one failed. */
  readonly calls: Readonly<Record<string, string>>;
  readonly end: string;
}

export interface Picture {
  readonly turns: readonly TurnPicture[];
  /** The lines of the terminal, without escapes. */
  readonly terminal: readonly string[];
}

/** A participant of a session, and what people do through it. */
export interface Participant {
  start(text: string): Promise<void>;
  approve(): Promise<void>;
  /** Takes the terminal over once it shows a text, and types a line. */
  takeOver(shown: string, line: string): Promise<void>;
  /** Cancels the turn once the agent has said a text. */
  cancel(said: string): Promise<void>;
  picture(): Picture;
}

/** The lines of a terminal's text. */
export function plainLines(text: string): string[] {
  const plain = text
    .replaceAll(/\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_=>])/g, "")
    .replaceAll("\r", "");
  return plain
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
}

/** The picture of a chat's state in any dialect of AHP. */
export function pictureOfChat(chat: WireFields, terminal: WireFields): Picture {
  const content = listOf(terminal["content"]);
  const text = content.map((part) => textOf(part["type"] === "command" ? part["output"] : part["value"]));
  return { turns: listOf(chat["turns"]).map(pictureOfTurn), terminal: plainLines(text.join("")) };
}

function pictureOfTurn(turn: WireFields): TurnPicture {
  const parts = listOf(turn["responseParts"]);
  const calls = parts.flatMap((part) => (part["kind"] === "toolCall" ? [fieldsOf(part["toolCall"])] : []));
  const texts = parts.map((part) => (part["kind"] === "markdown" ? textOf(part["content"]) : ""));
  return {
    message: textOf(fieldsOf(turn["message"] ?? turn["userMessage"])["text"]),
    reply: texts.join(""),
    calls: Object.fromEntries(calls.map((call) => [textOf(call["toolCallId"]), endOfCall(call)])),
    end: textOf(turn["state"]),
  };
}

function endOfCall({ status, success }: WireFields): string {
  const hasFailed = status === "cancelled" || (status === "completed" && success !== true);
  return hasFailed ? "failed" : textOf(status);
}
