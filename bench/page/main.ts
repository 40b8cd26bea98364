// The benchmark of the page in Chromium: a flood, a long session and a large repository, each beside a baseline that
// says what the machine itself took at the same time.
//   npm run bench:page              in full, some three minutes
//   npm run bench:page -- --short   a quick look, with less of everything
import { cannotBrowse, startBrowser } from "../../tests/page/page-browser.ts";
import build from "../../tests/setup/build.ts";
import { measureChanges } from "./changes.ts";
import { measureFlood } from "./flood.ts";
import { measureLongSession } from "./long-session.ts";

const isShort = process.argv.includes("--short");
const rounds = isShort ? 3 : 7;

if (cannotBrowse !== undefined) throw new Error(`The page cannot be measured: ${cannotBrowse}`);
await build();
const browser = await startBrowser();
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const ms = (value: number): string => `${Math.round(value)} ms`;
try {
  const flood = await measureFlood(browser, isShort ? 60 : 200);
  say(
    `flood of ${flood.megabytes} MB in ${(flood.durationMs / 1000).toFixed(1)} s: longest task ${ms(flood.longestTaskMs)}, CPU time ${ms(flood.longestTaskCpuMs)} (goal 100 ms); an empty page was late by up to ${ms(flood.emptyPageDelayMs)}`,
  );
  const long = await measureLongSession(browser, 5000, rounds);
  say(
    `10,000 messages: open in ${ms(long.openMs)} (goal 500 ms); a session of 2 messages in ${ms(long.shortMs)}`,
  );
  const changes = await measureChanges(browser, isShort ? 50 : 500, rounds);
  say(
    `500 changed files of ${changes.files}: open in ${ms(changes.openMs)} (goal 1000 ms); git status takes ${ms(changes.statusMs)}`,
  );
  process.stdout.write(`${JSON.stringify({ flood, long, changes }, undefined, 2)}\n`);
} finally {
  await browser.close();
}
