// `holdfast logs <terminal>`: what a terminal shows or showed, as text or as its bytes (C48).
import type { Holdfast, TerminalText } from "@holdfast/sdk";
import type { Command } from "commander";
import type { Console } from "../console.ts";
import { PlainLines } from "../terminal/plain-lines.ts";
import { lastLines } from "../terminal/text-tail.ts";
import { type CommandContext, hostCommand, type Runner, wholeNumber } from "./command.ts";
import { safeLines } from "../safe-text.ts";
import { resolveTerminal } from "./terminal-name.ts";

interface LogsOptions {
  readonly follow?: boolean;
  readonly tail?: number;
  readonly raw?: boolean;
}

/** As much as the host gives at once. */
const limitBytes = 16 * 1024 * 1024;
/** Lines of bytes are looked for in as much of the end. */
const rawTailBytes = 1024 * 1024;

/** Adds `logs`. */
export function addLogs(program: Command, run: Runner): void {
  hostCommand(program, "logs <terminal>", "print what a terminal shows, also of one that has ended")
    .option("-f, --follow", "go on with what comes, until it ends")
    .option("-n, --tail <lines>", "only the last lines", wholeNumber(0, 1_000_000))
    .option("--raw", "the bytes as they are; without it, text without escape sequences")
    .addHelpText("after", "\nA terminal is named by its id, the beginning of its id, or its title.")
    .action(run((context, word: string, options: LogsOptions) => printLogs(context, word, options)));
}

async function printLogs(
  { console, host }: CommandContext,
  word: string,
  options: LogsOptions,
): Promise<void> {
  const { api } = await host();
  const id = await resolveTerminal(api, word);
  const shown = await api.terminals.output(id, { limitBytes });
  if (options.raw === true) return printBytes(console, api, { id, endOffset: shown.endOffset, ...options });
  await printText(console, shown, options.tail);
  if (options.follow !== true) return undefined;
  return followText(console, api, id, shown.endOffset);
}

async function printText(console: Console, shown: TerminalText, tail: number | undefined): Promise<void> {
  const text = tail === undefined ? shown.text : lastLines(shown.text, tail);
  if (console.json) return console.printJson({ ...shown, text });
  if (shown.truncated && tail === undefined) console.warn("What came before is left out or no longer kept.");
  return console.write(safeLines(text));
}

/** Goes on after an offset, a line at a time: only what a line ends as can be told as text. */
async function followText(console: Console, api: Holdfast, id: string, after: number): Promise<void> {
  const lines = new PlainLines();
  for await (const event of api.terminals.stream(id, { after })) {
    if (console.json) await console.printJson(event.type === "output" ? outputLine(event.data) : event);
    else if (event.type === "output") await console.write(safeLines(lines.push(event.data.bytes)));
  }
  if (!console.json) await console.write(safeLines(lines.end()));
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
  for await (const event of api.terminals.stream(id, { after: start })) {
    if (console.json) {
      await console.printJson(event.type === "output" ? outputLine(event.data) : event);
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

function outputLine({ offset, bytes }: { offset: number; bytes: Uint8Array }): unknown {
  return { type: "output", data: { offset, bytes: Buffer.from(bytes).toString("base64") } };
}
