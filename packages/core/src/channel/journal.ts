// The port to what is kept: everything that changes a channel passes here before anyone is told.
import type { KindedState } from "./channel.ts";
import type { LogEntry } from "./log-entry.ts";

/** Something that happened to a channel. */
export type JournalRecord =
  | { readonly type: "opened"; readonly channel: string; readonly opened: KindedState }
  | { readonly type: "applied"; readonly entry: LogEntry }
  | { readonly type: "closed"; readonly channel: string };

/** Keeps what happens to channels. */
export interface Journal {
  /**
   * Called at the end of a tick with all that happened since the last call, in order.
   * When it returns, or its promise resolves, the records are kept, and only then are readers told.
   * Until then it is not called again. When it fails, it gets the same records again, with those that came since.
   */
  commit(records: readonly JournalRecord[]): void | Promise<void>;
}
