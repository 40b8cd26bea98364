// `holdfast audit`: what was done on the host, by whom, and with which outcome (C55).
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { AuditLink, AuditQuery, AuditRecord, Holdfast } from "@holdfast/sdk";
import { type Command, InvalidArgumentError } from "commander";
import type { Console } from "../console.ts";
import { readAgeMs } from "../time.ts";
import { type Write, writeWhole } from "../whole-file.ts";
import { hostCommand, wholeNumber, type Runner } from "./command.ts";
import { safeJson, safeText } from "../safe-text.ts";
import { resolveSession, shortSessionName } from "./session-name.ts";

interface Filter {
  readonly session?: string;
  readonly what?: AuditRecord["what"];
  readonly since?: string;
}

interface TailOptions extends Filter {
  readonly lines?: number;
  readonly follow?: boolean;
}

interface ExportOptions extends Filter {
  readonly after?: number;
  readonly output?: string;
}

interface VerifyOptions {
  readonly file?: string;
  readonly head?: AuditLink;
}

const defaultLines = 20;
/** The host has no stream of new entries, so following polls. */
const pollMs = 500;

export function addAudit(program: Command, run: Runner): void {
  const audit = program.command("audit").description("read and verify the audit log");
  filtered(hostCommand(audit, "tail", "print the newest entries"))
    .option("-n, --lines <count>", `number of entries (default: ${defaultLines})`, wholeNumber(1, 1000))
    .option("-f, --follow", "also print new entries as they are recorded")
    .action(
      run(async ({ console, host }, options: TailOptions) => {
        const { api } = await host({ mayMakeHome: false });
        const { lines = defaultLines, follow = false } = options;
        const filter = await queryOf(api, options);
        const entries = await api.audit.list({ ...filter, limit: lines });
        for (const entry of entries) await printEntry(console, entry);
        if (follow) await followFrom(entries.at(-1)?.id ?? 0, filter, { api, console });
      }),
    );
  filtered(hostCommand(audit, "export", "write every entry as one line of JSON, oldest first"))
    .option("--after <id>", "only entries after this one", wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option("-o, --output <file>", "write to this file, which appears only when complete (default: stdout)")
    .action(
      run(async ({ console, cwd, host }, options: ExportOptions) => {
        const { api } = await host({ mayMakeHome: false });
        const { after, output } = options;
        const filter = await queryOf(api, options);
        const copyTo = (write: Write): Promise<void> => exportTo(write, api, { ...filter, after });
        if (output === undefined) return copyTo((text) => console.write(text));
        const file = path.resolve(cwd, output);
        await writeWhole(file, copyTo);
        return console.json ? console.printJson({ file }) : console.note(`Written to ${file}.`);
      }),
    );
  hostCommand(audit, "verify", "check the chain of hashes: that no entry was changed or removed")
    .option("--file <file>", "check a file that `audit export` wrote, without a host")
    .option("--head <id:hash>", "also check that this head, noted earlier, is part of the chain", readHead)
    .action(
      run(async ({ console, cwd, host }, { file, head }: VerifyOptions) => {
        const { auditOfFile, auditOfHost, verifyAudit } = await import("./audit-verify.ts");
        const checked =
          file === undefined
            ? await auditOfHost((await host({ mayMakeHome: false })).api)
            : await auditOfFile(cwd, file);
        return verifyAudit(console, checked, head);
      }),
    );
  hostCommand(audit, "head", "print the id and hash of the newest entry, to store elsewhere").action(
    run(async ({ console, host }) => {
      const { head } = await (await host({ mayMakeHome: false })).api.audit.chain();
      return console.json ? console.printJson(head) : console.print(`${head.id}:${head.hash}`);
    }),
  );
}

function filtered(command: Command): Command {
  return command
    .option("--session <session>", "only entries of this session, open or closed")
    .option("--what <kind>", "only entries of this kind: command, file-write, policy, …")
    .option(
      "--since <time>",
      "only entries since this time (2026-11-17T08:00Z), or of this age (2h, 30d)",
      readMoment,
    );
}

/** Shows what is done from now on, until the program is ended or nobody reads it any more. */
async function followFrom(
  start: number,
  filter: AuditQuery,
  { api, console }: { readonly api: Holdfast; readonly console: Console },
): Promise<void> {
  let after = start;
  while (!console.unread.aborted) {
    await delay(pollMs);
    for await (const entry of api.audit.all({ ...filter, after })) {
      await printEntry(console, entry);
      after = entry.id;
    }
  }
}

/** Writes entries. Before them stands the filter, if there is one, or the place in the chain where they begin in the middle. */
async function exportTo(write: Write, api: Holdfast, query: AuditQuery): Promise<void> {
  const { session, what, since, after } = query;
  const filter = { session, what, since };
  const isWhole = Object.values(filter).every((value) => value === undefined);
  const anchor = isWhole ? await findAnchor(api, after ?? 0) : undefined;
  if (!isWhole) await write(`${safeJson({ filter })}\n`);
  if (anchor !== undefined && anchor.id > 0) await write(`${safeJson({ anchor })}\n`);
  for await (const entry of api.audit.all(query)) await write(`${safeJson(entry)}\n`);
}

/** The place before the first entry that is exported. */
async function findAnchor(api: Holdfast, after: number): Promise<AuditLink | undefined> {
  const { anchor } = await api.audit.chain();
  if (after <= anchor.id) return anchor;
  const [entry] = await api.audit.list({ after: after - 1, limit: 1 });
  return entry?.id === after && entry.hash !== undefined ? { id: after, hash: entry.hash } : undefined;
}

/** The query of a filter; a whole session key may be of one that was deleted, whose audit is kept. */
async function queryOf(api: Holdfast, { session, what, since }: Filter): Promise<AuditQuery> {
  const key = session === undefined ? undefined : await resolveSession(api, session, { closed: true });
  return { session: key, what, since };
}

function readMoment(text: string): string {
  const ms = /^\d+[a-z]$/.test(text) ? Date.now() - readAgeMs(text) : Date.parse(text);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new InvalidArgumentError("Give a time (2026-11-17T08:00Z) or an age (2h, 30d).");
}

function readHead(text: string): AuditLink {
  const [, id, hash] = /^(\d+):([0-9a-f]{64})$/.exec(text) ?? [];
  if (hash === undefined) throw new InvalidArgumentError("Give what `holdfast audit head` printed: ID:HASH.");
  return { id: Number(id), hash };
}

async function printEntry(console: Console, entry: AuditRecord): Promise<void> {
  if (console.json) return console.printJson(entry);
  const { at, session, what, subject, cwd, by, verdict, outcome } = entry;
  // Entries of earlier versions have the older name.
  const { decision = verdict ?? "" } = entry;
  const { paint } = console;
  const isFine = decision === "allowed" || decision === "reported";
  const mark = isFine ? paint.green(decision) : paint.red(decision);
  const where = cwd === undefined ? "" : paint.dim(` in ${safeText(cwd)}`);
  const result = outcome === undefined ? "" : paint.dim(` (${safeText(outcome)}${detailsOf(entry)})`);
  const who = paint.dim(`by ${safeText(by)}`);
  const start = `${paint.dim(at)} ${shortSessionName(session)} ${what.padEnd(12)} ${mark}`;
  return console.print(`${start} ${who}  ${safeText(subject)}${where}${result}`);
}

/** The further members of a command, in the order in which people ask for them. */
function detailsOf({ durationMs, environment, isolation, rule, terminal }: AuditRecord): string {
  const details = [
    durationMs === undefined ? undefined : `${durationMs} ms`,
    environment === undefined ? undefined : `variables ${environment.join(" ")}`,
    isolation === undefined ? undefined : `isolation ${isolation}`,
    rule === undefined ? undefined : `rule ${rule}`,
    terminal === undefined ? undefined : `terminal ${terminal.slice(0, 8)}`,
  ];
  return details.map((detail) => (detail === undefined ? "" : `, ${safeText(detail)}`)).join("");
}
