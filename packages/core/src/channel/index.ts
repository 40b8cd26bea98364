// The channel folder's face for the rest of core: the hub and what it hands out.
export { ChannelError, type ChannelErrorCode } from "./channel-error.ts";
export type { KindedState } from "./channel.ts";
export type { Cursor, Reading } from "./cursor.ts";
export { Hub, type HubOptions, type ListedChannel, type Snapshot, type Subscription } from "./hub.ts";
export type { Journal, JournalRecord } from "./journal.ts";
export type { ActionOrigin, LogEntry, Projection } from "./log-entry.ts";
export { CountingSequence, type SequenceSource } from "./sequence.ts";
