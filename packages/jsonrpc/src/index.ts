// The public face of @holdfast/jsonrpc.
export { Connection } from "./connection.ts";
export type { ConnectionOptions } from "./connection.ts";
export { ConnectionError, ErrorCode, RpcError } from "./errors.ts";
export type { ConnectionErrorKind } from "./errors.ts";
export type { FrameListener, FrameReader, Framing } from "./framing.ts";
export type { ConnectionLimits } from "./limits.ts";
export { joinChunks, messageFraming } from "./message.ts";
export { NdjsonSplitter, ndjsonFraming } from "./ndjson.ts";
export type { NdjsonOptions } from "./ndjson.ts";
export type { MessageSource } from "./brake.ts";
export type { MessageSink } from "./outbox.ts";
export type { RequestOptions } from "./outgoing.ts";
export type { Answer, Methods, NotificationHandlers, RequestContext, RequestHandlers } from "./methods.ts";
export { RawJson } from "./raw-json.ts";
export { receiveFrom, streamSink } from "./stream.ts";
export type { ReadableLike, WritableLike } from "./stream.ts";
export type { Warning, WarningListener } from "./warning.ts";
export type { MessageChunks, RpcId } from "./wire.ts";
