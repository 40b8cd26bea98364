// An ACP client that writes what a test says, frame by frame, and reads when the test says so.
import { once } from "node:events";
import { onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { waiting } from "../setup/waiting.ts";

/** A message as it came. */
export interface RawMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export class RawEditor {
  readonly socket: WebSocket;
  readonly messages: RawMessage[] = [];
  closeCode: number | undefined;
  closeReason = "";
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => {
      if (Buffer.isBuffer(data)) this.messages.push(JSON.parse(data.toString("utf8")) as RawMessage);
    });
    socket.on("close", (code, reason) => {
      this.closeCode = code;
      this.closeReason = reason.toString("utf8");
    });
    socket.on("error", () => undefined);
    onTestFinished(() => socket.terminate());
  }

  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<RawEditor> {
    const socket = new WebSocket(url.replace(/^http/, "ws"), { headers });
    const editor = new RawEditor(socket);
    await once(socket, "open");
    return editor;
  }

  send(message: object | string): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  async request(method: string, params: object = {}): Promise<RawMessage> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.send({ id, method, params });
    return this.answer(id);
  }

  async answer(id: unknown): Promise<RawMessage> {
    return vi.waitFor(() => {
      const answer = this.messages.find((message) => message.method === undefined && message.id === id);
      if (answer === undefined) throw new Error(`no answer to ${String(id)} yet`);
      return answer;
    }, waiting);
  }

  async initialize(capabilities: object = {}): Promise<void> {
    await this.request("initialize", { protocolVersion: 1, clientCapabilities: capabilities });
  }
}

/** The status of a WebSocket that is turned down. */
export async function refusedStatus(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const socket = new WebSocket(url.replace(/^http/, "ws"), { headers });
  return new Promise((resolve) => {
    socket.on("unexpected-response", (_request, { statusCode = 0 }) => {
      socket.terminate();
      resolve(statusCode);
    });
    socket.on("error", () => undefined);
    socket.on("open", () => {
      socket.terminate();
      resolve(101);
    });
  });
}
