// A client that follows a session's chat over AHP, as the page does, and reconnects when the host restarts.
import { defaultChatUri, ROOT_URI, type ChatState } from "@holdfast/ahp";
import { AhpClient, webSocketTransport, type ChannelHandle } from "@holdfast/ahp/client";
import { WebSocket } from "ws";

/** How a turn ended, and its text. */
export interface ViewedTurn {
  readonly end: string;
  readonly text: string;
}

/** Follows one chat until it is closed. */
export class ChatViewer {
  readonly #client: AhpClient;
  #chat: ChannelHandle<"chat"> | undefined;
  readonly #watchers = new Set<() => void>();

  private constructor(address: string) {
    this.#client = new AhpClient({
      clientId: "chat-viewer",
      open: () => webSocketTransport(new WebSocket(address)),
    });
  }

  static async open(host: { url: string; token: string }, sessionKey: string): Promise<ChatViewer> {
    const viewer = new ChatViewer(`${host.url.replace(/^http/, "ws")}/ahp?tkn=${host.token}`);
    await viewer.#client.connect();
    const { items } = await viewer.#client.request("listSessions", { channel: ROOT_URI });
    const session = items.find(({ key }) => key === sessionKey)?.resource;
    if (session === undefined) throw new Error(`There is no session ${sessionKey}`);
    const onEvent = (): void => viewer.#wake();
    viewer.#chat = await viewer.#client.subscribe(defaultChatUri(session), "chat", { onEvent });
    return viewer;
  }

  /** Waits for the end of the turn whose message contains this. */
  async turn(prompt: string): Promise<ViewedTurn> {
    for (;;) {
      const turn = this.#state.turns.find(({ message }) => JSON.stringify(message).includes(prompt));
      if (turn !== undefined) {
        const texts = turn.responseParts.map((part) => (part.kind === "markdown" ? part.content : ""));
        const { end } = turn;
        return { end: end.state === "complete" ? end.stopReason : end.state, text: texts.join("") };
      }
      await new Promise<void>((resolve) => void this.#watchers.add(resolve));
    }
  }

  close(): void {
    this.#chat?.close();
    this.#client.close();
  }

  get #state(): ChatState {
    if (this.#chat === undefined) throw new Error("The chat is not followed");
    return this.#chat.confirmed;
  }

  #wake(): void {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}
