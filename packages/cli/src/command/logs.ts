// `holdfast logs <terminal>`: what a terminal shows or showed, as text or as its bytes (C48).
import type { Holdfast, TerminalText } from "@holdfast/sdk";
import type { Command } from "commander";
import type { Console } from "../console.ts";
import { safeLines } from "../safe-text.ts";
import { shortName } from "../short-name.ts";
import { eventRecord } from "../terminal/command-stream.ts";
import { PlainLines, plainText } from "../terminal/plain-lines.ts";
import { resolveTerminal } from "../terminal/terminal-name.ts";
import { type CommandContext, hostCommand, type Runner, wholeNumber } from "./command.ts";

interface LogsOptions {
  readonly follow?: boolean;
  readonly tail?: number;
  readonly raw?: boolean;
}

/** As much as the host gives at once. */
const limitBytes = 16 * 1024 * 1024;
/** Lines of bytes are looked for in as much of the end. */
const rawTailBytes = 1024 * 1024;

export function addLogs(program: Command, run: Runner): void {
  hostCommand(program, "logs", "print a terminal's output")
    .argument("<terminal>", "id of the terminal or a prefix of it, or its title")
    .option("-f, --follow", "print new output until the terminal ends")
    .option("-n, --tail <lines>", "only the last lines", wholeNumber(0, 1_000_000))
    .option("--raw", "print the raw bytes instead of text without escape sequences")
    .action(
      run(async (context, word: string, options: LogsOptions) => {
        try {
          await printLogs(context, word, options);
        } catch (error) {
          // The streams end with their reader (C884).
          if (!context.console.unread.aborted) throw error;
        }
      }),
    );
}

async function printLogs(
  { console, host }: CommandContext,
  word: string,
  options: LogsOptions,
): Promise<void> {
  const { api } = await host({ mayMakeHome: false });
  const id = await resolveTerminal(api, word);
  const shown = await api.terminals.output(id, { limitBytes });
  if (options.raw === true) return printBytes(console, api, { id, endOffset: shown.endOffset, ...options });
  await printText(console, shown, options.tail);
  if (!console.json && shown.endOffset > 0 && shown.text.trim() === "") {
    const way =
      shown.lifecycle.status === "running" ? `\`holdfast attach ${shortName(id)}\` shows its screen, ` : "";
    console.warn(
      `It wrote ${shown.endOffset} bytes and no lines, as a full-screen program does: ${way}--raw prints its bytes.`,
    );
  }
  if (options.follow !== true) return undefined;
  return followText(console, api, id, shown.endOffset);
}

async function printText(console: Console, shown: TerminalText, tail: number | undefined): Promise<void> {
  // The host interprets the output of a pseudo-terminal, and gives that of pipes as it is.
  const whole = console.json || !shown.text.includes("\u001B") ? shown.text : plainText(shown.text);
  const text = tail === undefined ? whole : lastLines(whole, tail);
  if (console.json) return console.printJson({ ...shown, text });
  if (shown.truncated && tail === undefined) console.warn("Earlier output is left out or no longer kept.");
  return console.write(safeLines(text));
}

/** Continues after an offset, a line at a time: only a complete line has its final text. */
async function followText(console: Console, api: Holdfast, id: string, after: number): Promise<void> {
  if (console.json) {
    for await (const event of api.terminals.stream(id, { after, signal: console.unread })) {
      await console.printJson(eventRecord(event));
    }
    return;
  }
  const lines = new PlainLines();
  // Whether the alternate screen is on shows in earlier output only.
  const start = Math.max(0, after - limitBytes);
  for await (const event of api.terminals.stream(id, { after: start, signal: console.unread })) {
    if (event.type !== "output") continue;
    const { offset, bytes } = event.data;
    const knownBytes = Math.min(bytes.length, Math.max(0, after - offset));
    lines.skip(bytes.subarray(0, knownBytes));
    await console.write(safeLines(lines.push(bytes.subarray(knownBytes))));
  }
  await console.write(safeLines(lines.end()));
}

interface RawRequest extends LogsOptions {
  readonly id: string;
  /** Where the output ended when it was asked for. */
  readonly endOffset: number;
}

async function printBytes(console: Console, api: Holdfast, request: RawRequest): Promise<void> {
  const { id, endOffset, follow = false, tail } = request;
  if (endOffset === 0 && !follow) return;
  const start = tail === undefined ? 0 : await tailOffset(api, request, tail);
  for await (const event of api.terminals.stream(id, { after: start, signal: console.unread })) {
    if (console.json) {
      await console.printJson(eventRecord(event));
    } else if (event.type === "skipped") {
      console.warn(`${event.data.skippedBytes} bytes are no longer kept.`);
    } else if (event.type === "output") {
      const { offset, bytes } = event.data;
      await console.write(follow ? bytes : bytes.subarray(0, endOffset - offset));
    }
    const reached = event.type === "output" ? event.data.offset + event.data.bytes.length : 0;
    if (!follow && (reached >= endOffset || event.type === "exited")) return;
  }
}

/** The offset at which the last so many lines begin. */
async function tailOffset(api: Holdfast, { id, endOffset }: RawRequest, lines: number): Promise<number> {
  const after = Math.max(0, endOffset - rawTailBytes);
  const pieces: Uint8Array[] = [];
  if (endOffset === 0) return 0;
  for await (const event of api.terminals.stream(id, { after })) {
    if (event.type === "skipped") pieces.length = 0;
    if (event.type === "exited") break;
    if (event.type !== "output") continue;
    pieces.push(event.data.bytes);
    if (event.data.offset + event.data.bytes.length >= endOffset) break;
  }
  // One character for each byte, so that lengths are offsets.
  const text = Buffer.concat(pieces).toString("latin1");
  return endOffset - lastLines(text, lines).length;
}

/** The last so many lines of a text; a line without an end counts too. */
export function lastLines(text: string, count: number): string {
  let start = text.length;
  for (let lines = 0; lines < count && start > 0; lines += 1) start = lineStart(text, start);
  return text.slice(start);
}

/** Where the line begins that ends before an index. */
function lineStart(text: string, end: number): number {
  return end < 2 ? 0 : text.lastIndexOf("\n", end - 2) + 1;
}
