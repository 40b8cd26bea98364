// Typing beside a flood: from a key of one client to another client's screen, through us and through a plain server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Isolated } from "../terminal/isolated.ts";
import { median, percentile } from "../terminal/statistics.ts";
import type { ClientsProgram } from "./clients-program.ts";
import { Flood } from "./flood.ts";
import type { PlainProgram } from "./plain-program.ts";
import type { ServerProgram } from "./server-program.ts";

/** Medians over the rounds, in milliseconds, and the median of the rounds' ratios. */
export interface TypingBesideFlood {
  readonly oursP50Ms: number;
  readonly oursP99Ms: number;
  readonly plainP50Ms: number;
  readonly plainP99Ms: number;
  readonly p99VsPlain: number;
}

/** Measures both servers in turns; each floods one reader while somebody types in another terminal. */
export async function measureTyping(
  floodBytes: number,
  keys: number,
  rounds: number,
): Promise<TypingBesideFlood> {
  const folder = mkdtempSync(path.join(tmpdir(), "bench-ahp-"));
  const ours = new Isolated<ServerProgram>(new URL("server-program.ts", import.meta.url));
  const plain = new Isolated<PlainProgram>(new URL("plain-program.ts", import.meta.url));
  const reader = new Isolated<ClientsProgram>(new URL("clients-program.ts", import.meta.url));
  const typists = new Isolated<ClientsProgram>(new URL("clients-program.ts", import.meta.url));
  const latencies: Record<"ours" | "plain", number[][]> = { ours: [], plain: [] };
  try {
    const urls = { ours: await ours.ask("open", folder), plain: await plain.ask("open", folder) };
    // The first round of each only warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const name of ["ours", "plain"] as const) {
        const flood = new Flood(folder, `typing-${name}-${round}`, floodBytes);
        const url = urls[name];
        const command = { kind: "tty", command: flood.command } as const;
        const channel = name === "ours" ? await ours.ask("run", command) : await plain.ask("run", command);
        await reader.ask("watch", { url, count: 1, ...(name === "ours" && { channel }) });
        flood.begin();
        const finished = reader.ask("finish", undefined);
        const typed = await typists.ask(name === "ours" ? "type" : "typePlain", { url, keys });
        await finished;
        if (round > 0) latencies[name].push(typed);
      }
    }
  } finally {
    await Promise.all([ours.close(), plain.close(), reader.close(), typists.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
  const p99 = (typed: readonly number[]): number => percentile(typed, 0.99);
  return {
    oursP50Ms: median(latencies.ours.map(median)),
    oursP99Ms: median(latencies.ours.map(p99)),
    plainP50Ms: median(latencies.plain.map(median)),
    plainP99Ms: median(latencies.plain.map(p99)),
    p99VsPlain: median(latencies.ours.map((typed, round) => p99(typed) / p99(latencies.plain[round] ?? []))),
  };
}
