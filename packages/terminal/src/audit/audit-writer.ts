// A ready audit log for `onEvent`: one line of JSON for each event, chained by hashes, in a separate file.
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import type { TerminalEvent } from "../acp/terminal-event.ts";
import { CHAIN_START, type ChainLink, chainHash } from "./hash-chain.ts";

/** Options of an audit writer; each has a default. */
export interface AuditWriterOptions {
  readonly now?: (() => Date) | undefined;
  /** Called when an event could not be written, for example on a full disk. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** Writes an event before it returns. Pass it as `onEvent`, and `close` it. */
export interface AuditWriter {
  (event: TerminalEvent): void;
  /** The newest entry: note it elsewhere to recognize a rewritten file. */
  readonly head: ChainLink;
  close(): void;
}

const chunkBytes = 64 * 1024;
const lineFeed = 10;

/**
 * Opens a file, which only its owner can read, and continues its chain; throws when it cannot be written, or holds
 * something else. One program may write it at a time. `holdfast audit verify --file` checks it.
 */
export function createAuditWriter(file: string, options: AuditWriterOptions = {}): AuditWriter {
  const { now = () => new Date(), onFault = () => undefined } = options;
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  const descriptor = openSync(file, O_APPEND | O_CREAT | O_RDWR, 0o600);
  let head: ChainLink;
  try {
    head = readHead(descriptor, file);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  const write = (event: TerminalEvent): void => {
    try {
      const entry = { id: head.id + 1, at: now().toISOString(), ...withoutValues(event) };
      const hash = chainHash(head.hash, entry);
      appendLine(descriptor, JSON.stringify({ ...entry, hash }));
      head = { id: entry.id, hash };
    } catch (error) {
      onFault(error);
    }
  };
  const close = (): void => closeSync(descriptor);
  return Object.defineProperty(Object.assign(write, { close }), "head", { get: () => head }) as AuditWriter;
}

/** Variables may be secrets: only their names are written. */
function withoutValues(event: TerminalEvent & { readonly env?: unknown }): object {
  const { env, ...others } = event;
  if (typeof env !== "object" || env === null) return others;
  const names = Array.isArray(env)
    ? env.map((each: { readonly name?: unknown } | string) => (typeof each === "string" ? each : each.name))
    : Object.keys(env);
  return { ...others, environment: names };
}

/** Writes a whole line, or nothing. */
function appendLine(descriptor: number, text: string): void {
  const bytes = Buffer.from(`${text}\n`);
  const { size } = fstatSync(descriptor);
  try {
    for (let offset = 0; offset < bytes.length;) {
      offset += writeSync(descriptor, bytes, offset, bytes.length - offset);
    }
  } catch (error) {
    ftruncateSync(descriptor, size);
    throw error;
  }
}

/** The last whole entry; a line that a power failure cut off is removed. */
function readHead(descriptor: number, file: string): ChainLink {
  const { size } = fstatSync(descriptor);
  const end = findLineFeed(descriptor, size) + 1;
  if (end < size) ftruncateSync(descriptor, end);
  if (end === 0) return { id: 0, hash: CHAIN_START };
  const start = findLineFeed(descriptor, end - 1) + 1;
  const line = Buffer.alloc(end - start);
  readSync(descriptor, line, 0, line.length, start);
  try {
    const { id, hash } = JSON.parse(line.toString("utf8")) as Partial<ChainLink>;
    if (typeof id === "number" && typeof hash === "string") return { id, hash };
  } catch {
    // It is no JSON: the message below says it all.
  }
  throw new Error(`${file} does not end with an audit entry. Choose another file, or move this one away.`);
}

/** The place of the last line feed before an offset; -1 when there is none. */
function findLineFeed(descriptor: number, before: number): number {
  const chunk = Buffer.alloc(chunkBytes);
  for (let end = before; end > 0;) {
    const start = Math.max(0, end - chunkBytes);
    const length = readSync(descriptor, chunk, 0, end - start, start);
    const found = chunk.subarray(0, length).lastIndexOf(lineFeed);
    if (found !== -1) return start + found;
    end = start;
  }
  return -1;
}
