// `holdfast export`: writes down everything that is kept of a session, open or closed (C56).
import path from "node:path";
import { type Command, Option } from "commander";
import { hostCommand, type Runner } from "./command.ts";
import { safeJson } from "../safe-text.ts";
import { type Write, writeWhole } from "../whole-file.ts";
import { resolveSession } from "./session-name.ts";
import { markdownOf } from "./transcript/markdown.ts";
import { readTranscript, type TranscriptRecord } from "./transcript/transcript.ts";

interface ExportOptions {
  readonly format: "jsonl" | "markdown";
  readonly output?: string;
}

export function addExport(program: Command, run: Runner): void {
  hostCommand(program, "export", "export a session: turns, tool calls, output, approvals, usage")
    .argument("<session>", "key of the session, open or closed, or a prefix of its name")
    .addOption(
      new Option("--format <format>", "JSON lines for programs, or Markdown for people")
        .choices(["jsonl", "markdown"])
        .default("jsonl"),
    )
    .option("-o, --output <file>", "write to this file, which appears only when complete (default: stdout)")
    .action(
      run(async ({ console, cwd, host }, word: string, { format, output }: ExportOptions) => {
        const link = await host({ mayMakeHome: false });
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
