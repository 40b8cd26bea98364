// A program on the app API that follows a session's event stream.
import { vi } from "vitest";
import { turnEventSchema, type TurnEvent } from "../../../packages/protocol/src/events.ts";
import { fieldsOf, listOf, textOf } from "../../../packages/ahp/src/testing/wire/reference.ts";
import { readFrames } from "../../host/event-reader.ts";
import { waiting } from "../../setup/waiting.ts";
import type { ServedHost } from "../served-host.ts";
import { type Participant, type Picture, plainLines, type TurnPicture } from "./picture.ts";

const ends: Readonly<Record<string, string>> = { end_turn: "complete", cancelled: "cancelled" };

export class StreamParticipant implements Participant {
  readonly #host: ServedHost;
  readonly #key: string;
  readonly #events: TurnEvent[] = [];
  #lastId = "";

  constructor(host: ServedHost, key: string) {
    this.#host = host;
    this.#key = key;
  }

  /** Reads the stream from where it was until no turn runs any more. */
  async follow(): Promise<void> {
    const after = this.#lastId === "" ? "" : `?after=${this.#lastId}`;
    const response = await this.#host.fetch(`${this.#at}/events${after}`);
    for await (const { text } of readFrames(response)) {
      const fields = new Map(
        text.split("\n").map((line) => [line.split(": ", 1)[0], line.replace(/^\w+: /, "")]),
      );
      this.#lastId = fields.get("id") ?? this.#lastId;
      const data: unknown = JSON.parse(fields.get("data") ?? "null");
      this.#events.push(turnEventSchema.parse({ type: fields.get("event"), data }));
    }
  }

  start(message: string): Promise<void> {
    return this.#post(`${this.#at}/chat/stream`, { message });
  }

  async approve(): Promise<void> {
    const { data } = await this.#event((event) => event.type === "permission_request");
    const { requestId } = fieldsOf(data);
    await this.#post(`${this.#at}/permission`, { requestId, optionId: "yes" });
  }

  async takeOver(shown: string, line: string): Promise<void> {
    const { data } = await this.#event((event) => terminalOf(event) !== undefined);
    const terminalId = textOf(terminalOf({ type: "tool_call", data } as TurnEvent)?.["terminalId"]);
    const at = `/sdk/acp/terminals/${terminalId}`;
    await vi.waitFor(async () => {
      const output = await (await this.#host.fetch(`${at}/output`)).text();
      if (!output.includes(shown)) throw new Error("The terminal does not show it yet");
    }, waiting);
    await this.#post(`${at}/claim`, { kind: "client" });
    await this.#post(`${at}/input`, { text: `${line}\r` });
  }

  async cancel(said: string): Promise<void> {
    await this.#event(({ type, data }) => type === "text_delta" && data.text.includes(said));
    await this.#post(`${this.#at}/cancel`, {});
  }

  picture(): Picture {
    const turns: TurnPicture[] = [];
    let terminal: readonly string[] = [];
    const change = (changes: (turn: TurnPicture) => Partial<TurnPicture>): void => {
      const turn = turns.pop() ?? { message: "", reply: "", calls: {}, end: "" };
      turns.push({ ...turn, ...changes(turn) });
    };
    for (const event of this.#events) {
      const { type, data } = event;
      if (type === "status" && data.tag === "turn_started") {
        turns.push({ message: data.text, reply: "", calls: {}, end: "" });
      } else if (type === "text_delta") change(({ reply }) => ({ reply: reply + data.text }));
      else if (type === "tool_call") {
        change(({ calls }) => ({ calls: { ...calls, [data.toolCallId]: data.status } }));
        const output = terminalOf(event)?.["output"];
        if (output !== undefined) terminal = plainLines(textOf(output));
      } else if (type === "done") change(() => ({ end: ends[data.stopReason] ?? data.stopReason }));
    }
    return { turns, terminal };
  }

  get #at(): string {
    return `/sdk/acp/session/${encodeURIComponent(this.#key)}`;
  }

  async #post(at: string, body: object): Promise<void> {
    const response = await this.#host.fetch(at, { method: "POST", body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${at}: ${text}`);
  }

  #event(test: (event: TurnEvent) => boolean): Promise<TurnEvent> {
    return vi.waitFor(() => {
      const event = this.#events.find(test);
      if (event === undefined) throw new Error("There was no such event yet");
      return event;
    }, waiting);
  }
}

function terminalOf({ type, data }: TurnEvent): Readonly<Record<string, unknown>> | undefined {
  return type === "tool_call" ? listOf(data.content).find((each) => each["type"] === "terminal") : undefined;
}
