// Frames that a test exchanges with a keeper without the client.
import { once } from "node:events";
import { connect } from "node:net";
import { FRAME, FrameReader, decodeJson, encodeJson } from "../keeper/frame.ts";
import { readKey } from "../keeper/key.ts";
import { PROTOCOL_VERSION } from "../keeper/message.ts";
import { findPlace } from "../keeper/place.ts";

/** Frames that come back for what a client sends, until the connection is closed; `later` is sent after two of them. */
export async function exchange(
  home: string,
  parts: readonly Uint8Array[],
  later: readonly Uint8Array[] = [],
): Promise<{ type: number; value: unknown }[]> {
  const frames: { type: number; value: unknown }[] = [];
  const reader = new FrameReader({
    part: () => {},
    frame: ({ type }, payload) => {
      frames.push({ type, value: payload.length === 0 ? undefined : decodeJson(payload) });
      if (frames.length === 2) for (const part of later) socket.write(part);
    },
  });
  const socket = connect(findPlace(home).socket);
  socket.on("data", (chunk) => reader.push(chunk));
  socket.on("error", () => {});
  for (const part of parts) socket.write(part);
  await once(socket, "close");
  return frames;
}

/** The first frame of a host. */
export function hello(home: string, change: object = {}): Buffer[] {
  const { home: found, key } = findPlace(home);
  return encodeJson(FRAME.hello, 0, {
    protocol: PROTOCOL_VERSION,
    purpose: "host",
    home: found,
    pid: process.pid,
    key: readKey(key),
    ...change,
  });
}
