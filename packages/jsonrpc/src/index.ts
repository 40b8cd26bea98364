// The public face of @holdfast/jsonrpc.
export {
  Connection,
  type ConnectionLimits,
  type ConnectionOptions,
  type ContinuedConnection,
} from "./connection.ts";
export { isNestedDeeper } from "./envelope.ts";
export { ConnectionError, ErrorCode, RpcError, type ConnectionErrorKind } from "./errors.ts";
export { joinChunks, messageFraming, type FrameListener, type FrameReader, type Framing } from "./framing.ts";
export type { RequestJournal } from "./incoming.ts";
export type { MessageSource } from "./lanes.ts";
export type { Answer, Methods, NotificationHandlers, RequestContext, RequestHandlers } from "./methods.ts";
export { NdjsonSplitter, ndjsonFraming, type NdjsonOptions } from "./ndjson.ts";
export type { MessageSink } from "./outbox.ts";
export type { RequestOptions } from "./outgoing.ts";
export type { RepeatedTextOptions } from "./repeated-text.ts";
export { receiveFrom, streamSink, type ReadableLike, type WritableLike } from "./stream.ts";
export { WarningLimit, type Warning, type WarningListener } from "./warning.ts";
export { RawJson, type MessageChunks, type RpcId } from "./wire.ts";
