// Turns with storage on: how many of an agent's updates reach a client in a second, and how late each is.
import { median, monotonicMs, percentile } from "../terminal/statistics.ts";
import { callApi, openSession } from "./api-client.ts";
import { floodAgent, withMeasuredHost } from "./measured-host.ts";

/** The characters of one update of the flood. */
const updateLength = 230;

/** How much is measured. */
export interface TurnSize {
  readonly updates: number;
  readonly ticks: number;
  readonly rounds: number;
}

/** What was measured. */
export interface TurnStats {
  /** Updates of the agent whose text has arrived; those that come together share a frame. */
  readonly updatesPerSecond: number;
  readonly framesPerSecond: number;
  readonly latencyP50Ms: number;
  readonly latencyP99Ms: number;
}

/** Measures in one session each, from the agent's process through host and storage to a client of the event stream. */
export async function measureTurns(folder: string, { updates, ticks, rounds }: TurnSize): Promise<TurnStats> {
  return withMeasuredHost({ folder, agent: floodAgent }, async (url) => {
    const updateRates: number[] = [];
    const frameRates: number[] = [];
    // The first round only warms up.
    for (let round = 0; round <= rounds; round += 1) {
      const { seconds, frames } = await flood(url, folder, updates);
      if (round === 0) continue;
      updateRates.push(updates / seconds);
      frameRates.push(frames / seconds);
    }
    const delays = await tick(url, folder, ticks);
    return {
      updatesPerSecond: median(updateRates),
      framesPerSecond: median(frameRates),
      latencyP50Ms: median(delays),
      latencyP99Ms: percentile(delays, 0.99),
    };
  });
}

/** Streams a turn to its end, then looks whether all of it has arrived. */
async function flood(
  url: string,
  folder: string,
  updates: number,
): Promise<{ readonly seconds: number; readonly frames: number }> {
  const session = await openSession(url, folder);
  const startedMs = performance.now();
  const response = await callApi(url, "POST", `${session}/chat/stream`, { message: `flood ${updates}` });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) chunks.push(chunk as Uint8Array);
  const seconds = (performance.now() - startedMs) / 1000;
  const events = Buffer.concat(chunks)
    .toString()
    .split("\n\n")
    .filter((frame) => frame.includes("event: text_delta\n"));
  const characters = events.reduce((sum, frame) => sum + textOf(frame).length, 0);
  if (characters !== updates * updateLength) {
    throw new Error(`${characters} of ${updates * updateLength} characters have arrived`);
  }
  return { seconds, frames: events.length };
}

function textOf(frame: string): string {
  const data = frame.slice(frame.indexOf("\ndata: ") + "\ndata: ".length);
  return (JSON.parse(data) as { readonly text: string }).text;
}

/** Milliseconds from an agent's writing of each update to its arrival. */
async function tick(url: string, folder: string, ticks: number): Promise<number[]> {
  const session = await openSession(url, folder);
  const response = await callApi(url, "POST", `${session}/chat/stream`, { message: `tick ${ticks}` });
  const delaysMs: number[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const nowMs = monotonicMs();
    for (const [, sentMs] of decoder.decode(chunk as Uint8Array).matchAll(/<([\d.]+)>/g)) {
      delaysMs.push(nowMs - Number(sentMs));
    }
  }
  if (delaysMs.length !== ticks) throw new Error(`${delaysMs.length} of ${ticks} ticks have arrived`);
  return delaysMs;
}
