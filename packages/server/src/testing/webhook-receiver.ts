// A real receiver of webhooks, which answers as a test wants and keeps what it was sent.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A delivery as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How a receiver answers: a status, or by its own hand. */
export type Reply = number | ((response: ServerResponse) => void);

/** A receiver that listens until its test is over. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** The answers to come; after the last one, `always`. */
  readonly replies: Reply[] = [];
  always: Reply = 204;
  url = "";
  #waiting: { count: number; resolve: () => void }[] = [];

  /** Starts one on any free port. */
  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    const server = createServer((request, response) => void receiver.#receive(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return receiver;
  }

  /** Resolves when so many deliveries have arrived in all. */
  async arrivals(count: number): Promise<Received[]> {
    if (this.received.length < count) {
      await new Promise<void>((resolve) => {
        this.#waiting.push({ count, resolve });
      });
    }
    return this.received;
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const body = JSON.parse(text) as Received["body"];
    this.received.push({ path: request.url ?? "", headers: request.headers, text, body });
    this.#reply(response);
    this.#wake();
  }

  #reply(response: ServerResponse): void {
    const reply = this.replies.shift() ?? this.always;
    if (typeof reply === "number") response.writeHead(reply).end();
    else reply(response);
  }

  #wake(): void {
    const arrived = this.#waiting.filter(({ count }) => count <= this.received.length);
    this.#waiting = this.#waiting.filter((each) => !arrived.includes(each));
    for (const { resolve } of arrived) resolve();
  }
}
