// A turn as an app follows it: the events of the SDK's stream, which reconnects, and waits for what they show.
import type { AcpStreamEvent, EventStream } from "@holdfast/sdk";

type PermissionRequest = Extract<AcpStreamEvent, { type: "permission_request" }>["data"];

/** A turn that is followed from its start. */
export class FollowedTurn {
  readonly events: AcpStreamEvent[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #reading: Promise<void>;
  #isOver = false;

  constructor(stream: EventStream<AcpStreamEvent>) {
    this.#reading = this.#read(stream);
    // The failure is for callers that wait for the turn; there may be none.
    this.#reading.catch(() => undefined);
  }

  /** The agent's text so far. */
  get text(): string {
    return this.events
      .map((event) => (event.type === "text_delta" && event.data.stream === "output" ? event.data.text : ""))
      .join("");
  }

  /** The reason for its end, or the code of its error. */
  async ended(): Promise<string> {
    await this.#reading;
    for (const event of this.events) {
      if (event.type === "done") return event.data.stopReason;
      if (event.type === "error") return event.data.code;
    }
    throw new Error(`The stream ended without an outcome: ${this.#seen()}`);
  }

  /** Waits for its first event. */
  async begun(): Promise<void> {
    await this.#until(() => this.events[0]);
  }

  /** Waits until the text contains this. */
  async untilText(text: string): Promise<void> {
    await this.#until(() => (this.text.includes(text) ? true : undefined));
  }

  /** Waits for the permission request. */
  permission(): Promise<PermissionRequest> {
    return this.#until(() => {
      const request = this.events.find((event) => event.type === "permission_request");
      return request?.type === "permission_request" ? request.data : undefined;
    });
  }

  /** Waits until an unfinished tool call shows this. */
  async untilToolShows(text: string): Promise<void> {
    await this.#until(() => {
      const isShown = this.events.some(
        ({ type, data }) =>
          type === "tool_call" &&
          data.status === "running" &&
          JSON.stringify(data.content ?? []).includes(text),
      );
      return isShown ? true : undefined;
    });
  }

  async #until<Value>(find: () => Value | undefined): Promise<Value> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.#isOver) {
        await this.#reading;
        throw new Error(`The turn ended without it: ${this.#seen()}`);
      }
      await new Promise<void>((resolve) => void this.#watchers.add(resolve));
    }
  }

  async #read(stream: EventStream<AcpStreamEvent>): Promise<void> {
    try {
      for await (const event of stream) {
        this.events.push(event);
        this.#wake();
      }
    } finally {
      this.#isOver = true;
      this.#wake();
    }
  }

  #wake(): void {
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }

  #seen(): string {
    return this.events.map((event) => JSON.stringify(event).slice(0, 300)).join("\n");
  }
}
