// `holdfast audit`: what was done on the host, by whom, and with which outcome (C55).
import { setTimeout as delay } from "node:timers/promises";
import type { AuditRecord, Holdfast } from "@holdfast/sdk";
import type { Command } from "commander";
import type { Console } from "../console.ts";
import { hostCommand, wholeNumber, type Runner } from "./command.ts";
import { safeText } from "../safe-text.ts";
import { resolveSession, shortSessionName } from "./session-name.ts";

interface TailOptions {
  readonly lines?: number;
  readonly follow?: boolean;
  readonly session?: string;
}

interface ExportOptions {
  readonly session?: string;
  readonly after?: number;
}

const defaultLines = 20;
/** The host has no stream of new entries, so following polls. */
const pollMs = 500;

export function addAudit(program: Command, run: Runner): void {
  const audit = program.command("audit").description("read the audit log");
  hostCommand(audit, "tail", "print the newest entries")
    .option("-n, --lines <count>", `number of entries (default: ${defaultLines})`, wholeNumber(1, 1000))
    .option("-f, --follow", "also print new entries as they are recorded")
    .option("--session <session>", "only entries of this session, open or closed")
    .action(
      run(async ({ console, host }, options: TailOptions) => {
        const { api } = await host();
        const { lines = defaultLines, follow = false } = options;
        const session = await sessionOf(api, options);
        const entries = await api.audit.list({ session, limit: lines });
        for (const entry of entries) await printEntry(console, entry);
        if (follow) await followFrom(entries.at(-1)?.id ?? 0, session, { api, console });
      }),
    );
  hostCommand(audit, "export", "write every entry as one line of JSON, oldest first")
    .option("--session <session>", "only entries of this session, open or closed")
    .option("--after <id>", "only entries after this one", wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .action(
      run(async ({ console, host }, options: ExportOptions) => {
        const { api } = await host();
        const session = await sessionOf(api, options);
        for await (const entry of api.audit.all({ session, after: options.after })) {
          await console.printJson(entry);
        }
      }),
    );
}

/** Shows what is done from now on, until the program is ended. */
async function followFrom(
  start: number,
  session: string | undefined,
  { api, console }: { readonly api: Holdfast; readonly console: Console },
): Promise<never> {
  let after = start;
  for (;;) {
    await delay(pollMs);
    for await (const entry of api.audit.all({ session, after })) {
      await printEntry(console, entry);
      after = entry.id;
    }
  }
}

/** The key of the session that is asked for; a whole key may be of one that was deleted, whose audit is kept. */
async function sessionOf(api: Holdfast, { session }: ExportOptions): Promise<string | undefined> {
  return session === undefined ? undefined : resolveSession(api, session, { closed: true });
}

async function printEntry(console: Console, entry: AuditRecord): Promise<void> {
  if (console.json) return console.printJson(entry);
  const { at, session, what, subject, cwd, by, verdict, outcome } = entry;
  const { paint } = console;
  const mark = verdict === "allowed" ? paint.green(verdict) : paint.red(verdict);
  const where = cwd === undefined ? "" : paint.dim(` in ${safeText(cwd)}`);
  const result = outcome === undefined ? "" : paint.dim(` (${safeText(outcome)})`);
  const who = paint.dim(`by ${safeText(by)}`);
  const start = `${paint.dim(at)} ${shortSessionName(session)} ${what.padEnd(10)} ${mark}`;
  return console.print(`${start} ${who}  ${safeText(subject)}${where}${result}`);
}
