// `/sleep`: does nothing for a while, without a terminal.
import { setTimeout as wait } from "node:timers/promises";
import { formatDuration } from "../turn/duration.ts";
import { usageOf } from "./slash-command.ts";
import type { SlashCommand } from "./slash-command.ts";

const DAY_SECONDS = 24 * 60 * 60;

/** Waits; a cancel ends it (S15). */
export const sleep: SlashCommand = {
  name: "sleep",
  description: "Wait, up to a day",
  hint: "<seconds>",
  async run(turn, input) {
    const word = input.trim();
    const seconds = /^\d+(\.\d+)?$/.test(word) ? Number(word) : Number.NaN;
    if (!(seconds <= DAY_SECONDS)) {
      await turn.say(`Usage: ${usageOf(sleep)}`);
      return;
    }
    const startedAtMs = performance.now();
    await wait(seconds * 1000, undefined, { signal: turn.signal });
    await turn.say(`Slept ${formatDuration(performance.now() - startedAtMs)}.`);
  },
};
