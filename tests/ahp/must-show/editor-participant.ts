// An editor on the official ACP SDK that has joined a session.
import { vi } from "vitest";
import { fieldsOf, textOf } from "../../../packages/ahp/src/testing/wire/reference.ts";
import { connect } from "../../acp/scripted-editor.ts";
import type { SdkEditor } from "../../acp/sdk-editor.ts";
import { waiting } from "../../setup/waiting.ts";
import type { ServedHost } from "../served-host.ts";
import { type Participant, type Picture, plainLines, type TurnPicture } from "./picture.ts";

const ends: Readonly<Record<string, string>> = { end_turn: "complete", cancelled: "cancelled" };

export class EditorParticipant implements Participant {
  readonly #editor: SdkEditor;
  readonly #key: string;
  /** Its own prompts, by the number of updates that came before. */
  readonly #prompts = new Map<number, string>();
  readonly #ownEnds = new Map<string, string>();

  private constructor(editor: SdkEditor, key: string) {
    this.#editor = editor;
    this.#key = key;
  }

  static async join(host: ServedHost, key: string): Promise<EditorParticipant> {
    const editor = connect(host);
    await editor.initialize(true, "editor");
    await editor.agent.request("session/load", { sessionId: key, cwd: host.work, mcpServers: [] });
    return new EditorParticipant(editor, key);
  }

  async start(text: string): Promise<void> {
    this.#prompts.set(this.#editor.updates.length, text);
    const { stopReason } = await this.#editor.prompt(this.#key, text);
    this.#ownEnds.set(text, stopReason);
  }

  async approve(): Promise<void> {
    const asked = await this.#editor.permission();
    asked.approve();
  }

  takeOver(): Promise<void> {
    return Promise.reject(new Error("ACP has no input for terminals"));
  }

  async cancel(said: string): Promise<void> {
    await vi.waitFor(() => {
      if (!this.#editor.text.includes(said)) throw new Error("The agent has not said it yet");
    }, waiting);
    await this.#editor.cancel(this.#key);
  }

  picture(): Picture {
    const turns: TurnPicture[] = [];
    const change = (changes: (turn: TurnPicture) => Partial<TurnPicture>): void => {
      const turn = turns.pop() ?? { message: "", reply: "", calls: {}, end: "" };
      turns.push({ ...turn, ...changes(turn) });
    };
    const begin = (message: string): void => {
      const end = ends[this.#ownEnds.get(message) ?? ""] ?? "";
      turns.push({ message, reply: "", calls: {}, end });
    };
    for (const [index, { update }] of this.#editor.updates.entries()) {
      const prompt = this.#prompts.get(index);
      if (prompt !== undefined) begin(prompt);
      const fields = fieldsOf(update);
      const text = textOf(fieldsOf(fields["content"])["text"]);
      const call = textOf(fields["toolCallId"]);
      const status = fields["status"];
      if (update.sessionUpdate === "user_message_chunk") begin(text);
      else if (update.sessionUpdate === "agent_message_chunk") {
        change(({ reply }) => ({ reply: reply + text }));
      } else if (call !== "" && typeof status === "string") {
        change(({ calls }) => ({ calls: { ...calls, [call]: status } }));
      }
      const own = fieldsOf(fieldsOf(fields["_meta"])["holdfast"]);
      const stopReason = textOf(fieldsOf(own["turnEnded"])["stopReason"]);
      if (stopReason !== "") change(() => ({ end: ends[stopReason] ?? stopReason }));
    }
    return { turns, terminal: plainLines(this.#editor.terminalText) };
  }
}
