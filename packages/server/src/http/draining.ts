// Brings a server to its end: what is idle at once, what is at work in time, and the rest all the same.
import type { Server } from "node:http";
import type { Connections } from "./connections.ts";
import type { OpenStreams } from "./open-streams.ts";

/** What a server is at work with. */
export interface Serving {
  readonly server: Server;
  readonly connections: Connections;
  readonly streams: OpenStreams;
}

/** What a stream that was told to end, or a reader of its last words, may still take. */
const lastWordsMs = 1000;

/** Takes nothing new; lets requests and streams end within the grace, then tells the streams to, then hangs up (A40). */
export async function drain({ server, connections, streams }: Serving, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  connections.closeIdle();
  if (await endsWithin(closed, graceMs)) return;
  streams.stop();
  if (await endsWithin(closed, lastWordsMs)) return;
  connections.closeAll();
  await closed;
}

async function endsWithin(end: Promise<void>, timeMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeIsUp = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, timeMs, false);
  });
  const isOver = await Promise.race([end.then(() => true), timeIsUp]);
  clearTimeout(timer);
  return isOver;
}
