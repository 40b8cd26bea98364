// Puts outgoing messages together: text around a value, and ready bytes passed through untouched.
import type { RpcError } from "./errors.ts";

/** An id of a request: whatever the peer chose is echoed as it came. */
export type RpcId = string | number | null;

/** One message on its way out: pieces that follow each other without a gap. */
export type MessageChunks = readonly (string | Uint8Array)[];

function surround(head: string, value: unknown, tail: string): MessageChunks {
  if (value instanceof RawJson) return [head, ...value.chunks, tail];
  return [head + JSON.stringify(value) + tail];
}

/** Writes a notification; a `params` of `undefined` is left out. */
export function encodeNotification(method: string, params: unknown, terminator: string): MessageChunks {
  const head = `{"jsonrpc":"2.0","method":${JSON.stringify(method)}`;
  return params === undefined
    ? [`${head}}${terminator}`]
    : surround(`${head},"params":`, params, `}${terminator}`);
}

/** Writes a request; a `params` of `undefined` is left out. */
export function encodeRequest(
  id: number | string,
  method: string,
  params: unknown,
  terminator: string,
): MessageChunks {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)}`;
  return params === undefined
    ? [`${head}}${terminator}`]
    : surround(`${head},"params":`, params, `}${terminator}`);
}

/** Writes an answer to the request whose id has this JSON text; no result becomes `null`. */
export function encodeResult(idText: string, result: unknown, terminator: string): MessageChunks {
  return surround(`{"jsonrpc":"2.0","id":${idText},"result":`, result ?? null, `}${terminator}`);
}

/** Writes an error answer to the request whose id has this JSON text. */
export function encodeError(idText: string, error: RpcError, terminator: string): MessageChunks {
  const { code, message, data } = error;
  return [`{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify({ code, message, data })}}${terminator}`];
}

/** The size of a message for limits: bytes, where a string counts one byte for each of its UTF-16 units. */
export function sizeOfChunks(chunks: MessageChunks): number {
  let sizeBytes = 0;
  for (const chunk of chunks) sizeBytes += chunk.length;
  return sizeBytes;
}

/**
 * A value given as its JSON text in UTF-8, accepted wherever a value is sent.
 * The chunks together are one JSON value; over NDJSON they must contain no newline byte (10), and they must not
 * change until they are written.
 */
export class RawJson {
  readonly chunks: readonly Uint8Array[];

  constructor(chunks: readonly Uint8Array[]) {
    this.chunks = chunks;
  }
}
