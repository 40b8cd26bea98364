// One connection's subscription to one channel: a reader of its log, and the view that serializes its entries.
import type { ChannelKind } from "@holdfast/ahp";
import type { LogEntry, LogReader, NoEntry } from "@holdfast/core";
import type { ChannelView } from "./channel-view.ts";

/** A followed channel. Its creator closes it. */
export class ChannelSource {
  readonly uri: string;
  readonly kind: ChannelKind;
  readonly view: ChannelView;
  /** Up to which byte a terminal's viewer has the output. */
  sentOffset = 0;
  /** Undefined while the channel is left out. */
  #reader: LogReader | undefined;

  constructor(kind: ChannelKind, view: ChannelView, reader: LogReader | undefined) {
    this.uri = view.uri;
    this.kind = kind;
    this.view = view;
    this.#reader = reader;
  }

  peek(): LogEntry | NoEntry {
    return this.#reader?.peek() ?? "nothing";
  }

  take(): void {
    const action = this.#reader?.take()?.action;
    if (action?.type === "terminal/data") this.sentOffset = action.endOffset;
  }

  leave(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }

  /** Continues from another place in the log. */
  resume(reader: LogReader): void {
    this.#reader?.close();
    this.#reader = reader;
  }
}
