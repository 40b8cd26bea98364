// A client of one version of AHP that follows a session through the reference reducers.
import { vi } from "vitest";
import {
  reduceSeedSession,
  reduceWireChat,
  reduceWireTerminal,
  type ReferenceReducer,
} from "../../../packages/ahp/src/testing/wire/channels.ts";
import {
  currentVersion,
  fieldsOf,
  fixtureVersion,
  listOf,
  overTheWire,
  seedVersion,
  textOf,
  type ReferenceAction,
  type ReferenceVersion,
  type WireFields,
} from "../../../packages/ahp/src/testing/wire/reference.ts";
import { waiting } from "../../setup/waiting.ts";
import type { HeardEnvelope, HeardSnapshot } from "../heard.ts";
import type { ServedHost } from "../served-host.ts";
import type { WireClient } from "../wire-client.ts";
import { type Participant, type Picture, pictureOfChat } from "./picture.ts";

const references: Readonly<Record<string, ReferenceVersion>> = {
  "0.1.0": seedVersion,
  "0.6.0": fixtureVersion,
  "0.9.0": currentVersion,
  "1.0.0": currentVersion,
};

export class AhpParticipant implements Participant {
  readonly #version: string;
  readonly #client: WireClient;
  /** The channel of its turns: in the seed the session's. */
  readonly #chat: HeardSnapshot;
  #terminal: HeardSnapshot | undefined;

  private constructor(version: string, client: WireClient, chat: HeardSnapshot) {
    this.#version = version;
    this.#client = client;
    this.#chat = chat;
  }

  static async join(
    host: ServedHost,
    version: string,
    { session, chat }: { readonly session: string; readonly chat: string },
  ): Promise<AhpParticipant> {
    const client = await host.client({ clientId: `client of ${version}`, version });
    const snapshot = await client.subscribe(version === "0.1.0" ? session : chat);
    return new AhpParticipant(version, client, snapshot);
  }

  /** Follows the terminal as soon as a tool call shows it. */
  async followTerminal(): Promise<void> {
    const { action } = await this.#heard("toolCallContentChanged", ({ action: each }) => uriOf(each) !== "");
    this.#terminal = await this.#client.subscribe(uriOf(action));
  }

  async start(text: string): Promise<void> {
    const message = { text, origin: { kind: "user" } };
    const words = this.#isSeed ? { userMessage: { text } } : { message };
    const turnId = `turn ${text} of ${this.#version}`;
    await this.#dispatch({ type: "turnStarted", turnId, startedAt: new Date().toISOString(), ...words });
  }

  async approve(): Promise<void> {
    const { action } = await this.#heard("toolCallReady", ({ action: each }) => !("confirmed" in each));
    const { turnId, toolCallId } = action;
    const answer = { approved: true, confirmed: "user-action" };
    await this.#dispatch({ type: "toolCallConfirmed", turnId, toolCallId, ...answer });
  }

  async takeOver(shown: string, line: string): Promise<void> {
    await vi.waitFor(() => {
      if (!this.picture().terminal.join("\n").includes(shown)) throw new Error("It is not shown yet");
    }, waiting);
    const uri = this.#terminal?.resource ?? "";
    const clientId = `client of ${this.#version}`;
    await this.#send({ type: "terminal/claimed", claim: { kind: "client", clientId } }, uri, "terminal");
    await this.#send({ type: "terminal/input", data: `${line}\r` }, uri, "terminal");
  }

  async cancel(said: string): Promise<void> {
    await this.#heard("responsePart", (envelope) => JSON.stringify(envelope).includes(said));
    const { turnId } = (await this.#heard("turnStarted", () => true, "last")).action;
    await this.#dispatch({ type: "turnCancelled", turnId, duration: 0 });
  }

  picture(): Picture {
    const reduceChat = this.#isSeed ? reduceSeedSession : reduceWireChat;
    return pictureOfChat(
      this.#fold(this.#chat, reduceChat),
      this.#terminal === undefined ? {} : this.#fold(this.#terminal, reduceWireTerminal),
    );
  }

  get #isSeed(): boolean {
    return this.#version === "0.1.0";
  }

  /** The state of a channel now: the one that it began with, and all actions since. */
  #fold({ resource, fromSeq, state }: HeardSnapshot, reduce: ReferenceReducer): WireFields {
    const version = references[this.#version] ?? currentVersion;
    return this.#client.actions
      .filter(({ channel, action, serverSeq, rejectionReason }) => {
        const uri = channel ?? action.terminal ?? action.session;
        return uri === resource && serverSeq > fromSeq && rejectionReason === undefined;
      })
      .reduce(
        (before, { action }) => reduce(before, overTheWire(action) as ReferenceAction, version),
        fieldsOf(overTheWire(state)),
      );
  }

  async #heard(
    type: string,
    test: (envelope: HeardEnvelope) => boolean,
    which: "first" | "last" = "first",
  ): Promise<HeardEnvelope> {
    const named = `${this.#isSeed ? "session" : "chat"}/${type}`;
    const first = await this.#client.action(named, test);
    const all = this.#client.actions.filter((envelope) => envelope.action.type === named && test(envelope));
    return which === "first" ? first : (all.at(-1) ?? first);
  }

  #dispatch({ type, ...action }: ReferenceAction): Promise<void> {
    const named = { type: `${this.#isSeed ? "session" : "chat"}/${type}`, ...action };
    return this.#send(named, this.#chat.resource, "session");
  }

  /** Sends an action and waits until the host has accepted it. */
  async #send(action: object, uri: string, field: "session" | "terminal"): Promise<void> {
    const clientSeq = this.#isSeed
      ? this.#client.dispatch({ ...action, [field]: uri })
      : this.#client.dispatch(action, uri);
    const { params } = await this.#client.notified(
      ({ params: each }) =>
        each?.origin?.clientId === `client of ${this.#version}` && each.origin.clientSeq === clientSeq,
    );
    if (params?.rejectionReason !== undefined) throw new Error(params.rejectionReason);
  }
}

/** The terminal that an action shows. */
function uriOf(action: HeardEnvelope["action"]): string {
  const shown = listOf(fieldsOf(action)["content"]).find(({ type }) => type === "terminal");
  return textOf(shown?.["resource"]);
}
