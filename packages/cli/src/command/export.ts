// `holdfast export`: writes down everything that is kept of a session, open or closed (C56).
import { open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { type Command, Option } from "commander";
import { CommandError, systemCode } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { hostCommand, type Runner } from "./command.ts";
import { safeJson } from "../safe-text.ts";
import { resolveSession } from "./session-name.ts";
import { markdownOf } from "./transcript/markdown.ts";
import { readTranscript, type TranscriptRecord } from "./transcript/transcript.ts";

interface ExportOptions {
  readonly format: "jsonl" | "markdown";
  readonly output?: string;
}

type Write = (text: string) => Promise<void>;

export function addExport(program: Command, run: Runner): void {
  hostCommand(program, "export", "export a session: turns, tool calls, output, approvals, usage")
    .argument("<session>", "key of the session, open or closed, or a prefix of its name")
    .addOption(
      new Option("--format <format>", "one line of JSON for each thing, or a page to read")
        .choices(["jsonl", "markdown"])
        .default("jsonl"),
    )
    .option("-o, --output <file>", "write to this file, which appears only when complete (default: stdout)")
    .action(
      run(async ({ console, cwd, host }, word: string, { format, output }: ExportOptions) => {
        const link = await host();
        const sessionKey = await resolveSession(link.api, word, { closed: true });
        const isForPeople = format === "markdown";
        const render = isForPeople ? markdownOf : lineOf;
        const records = readTranscript(link, sessionKey, isForPeople ? "text" : "bytes");
        const copyTo = async (write: Write): Promise<void> => {
          for await (const record of records) await write(render(record));
        };
        if (output === undefined) return copyTo((text) => console.write(text));
        const file = path.resolve(cwd, output);
        await writeWhole(file, copyTo);
        if (console.json) return console.printJson({ session_key: sessionKey, file });
        return console.note(`Written to ${file}.`);
      }),
    );
}

function lineOf(record: TranscriptRecord): string {
  return `${safeJson(record)}\n`;
}

/** Writes beside the file and renames, so that a transcript that broke off is not taken for a whole one. */
async function writeWhole(file: string, copyTo: (write: Write) => Promise<void>): Promise<void> {
  const part = `${file}.part`;
  try {
    const handle = await open(part, "w", 0o600);
    try {
      await copyTo((text) => handle.appendFile(text));
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    const code = systemCode(error);
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw new CommandError("FILE_NOT_WRITTEN", `${file} cannot be written (${code}).`, {
      exitCode: EXIT_CODES.setup,
      remedy: "Choose another file with --output.",
      cause: error,
    });
  }
}
