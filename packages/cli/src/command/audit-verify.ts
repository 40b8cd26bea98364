// `holdfast audit verify`: follows the audit's chain of hashes, of the host or of an exported file (C675).
import { createReadStream } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { AuditLink, Holdfast } from "@holdfast/sdk";
import { CHAIN_START, ChainCheck, type ChainedRecord } from "@holdfast/terminal/acp-parts";
import { CommandError, messageOf } from "../command-error.ts";
import type { Console } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeText } from "../safe-text.ts";
import { count } from "../plural.ts";

/** An audit to check: where its chain begins, its entries, and the newest one, where that is known. */
export interface CheckedAudit {
  readonly anchor: AuditLink;
  readonly entries: AsyncIterable<ChainedRecord>;
  readonly head?: AuditLink;
  /** The conditions by which entries were left out of an export. */
  readonly filter?: Readonly<Record<string, unknown>>;
}

/** The result of a check, as `--json` prints it. */
interface Verification {
  readonly entries: number;
  readonly anchor: AuditLink;
  readonly head: AuditLink;
  /** The places where the chain is broken, the oldest first. */
  readonly breaks: readonly { readonly id: number; readonly reason: string }[];
}

/** Checks an audit against its own hashes, and against a head that was noted earlier; gives the exit code. */
export async function verifyAudit(
  console: Console,
  audit: CheckedAudit,
  noted: AuditLink | undefined,
): Promise<number> {
  if (audit.filter !== undefined) return verifyFiltered(console, audit.filter, audit.entries);
  const { entries, anchor, head, breaks } = await check(audit, noted);
  const exitCode = breaks.length === 0 ? EXIT_CODES.done : EXIT_CODES.auditBroken;
  if (console.json) {
    await console.printJson({ entries, anchor, head, breaks } satisfies Verification);
    return exitCode;
  }
  const [first] = breaks;
  if (first === undefined) {
    const range = entries === 0 ? "" : ` (${anchor.id + 1} to ${head.id})`;
    await console.print(
      `The chain is intact: ${count(entries, "entry", "entries")}${range}. Its head: ${formatLink(head)}`,
    );
    return exitCode;
  }
  throw broken(
    breaks,
    `Entries before ${first.id} are as they were recorded. Compare the others with an export or a backup.`,
  );
}

function broken(breaks: Verification["breaks"], remedy: string): CommandError {
  const [{ id, reason } = { id: 0, reason: "" }] = breaks;
  const more =
    breaks.length === 1 ? "" : ` ${count(breaks.length - 1, "more place is", "more places are")} broken.`;
  return new CommandError("AUDIT_BROKEN", `The chain is broken at entry ${id}: ${reason}.${more}`, {
    exitCode: EXIT_CODES.auditBroken,
    remedy,
  });
}

/** Checks what a filtered export allows: entries that directly follow another one (C714). It is never a success. */
async function verifyFiltered(
  console: Console,
  filter: Readonly<Record<string, unknown>>,
  entries: AsyncIterable<ChainedRecord>,
): Promise<number> {
  const breaks: Verification["breaks"][number][] = [];
  let total = 0;
  let verified = 0;
  let previous: ChainedRecord | undefined;
  for await (const entry of entries) {
    total += 1;
    if (previous?.hash !== undefined && entry.id === previous.id + 1) {
      const pair = new ChainCheck({ id: previous.id, hash: previous.hash });
      pair.add(entry);
      if (pair.breaks.length === 0) verified += 1;
      else breaks.push(...pair.breaks);
    }
    previous = entry;
  }
  const remedy = "To verify the chain, export without --session, --what and --since.";
  const exitCode = breaks.length === 0 ? EXIT_CODES.setup : EXIT_CODES.auditBroken;
  if (console.json) {
    await console.printJson({ filter, entries: total, verified, breaks });
    return exitCode;
  }
  if (breaks.length > 0) throw broken(breaks, remedy);
  const conditions = Object.entries(filter).map(([name, value]) => `${name}: ${String(value)}`);
  throw new CommandError(
    "AUDIT_FILTERED",
    `This export is filtered (${safeText(conditions.join(", "))}), so its chain cannot be verified as a whole. ` +
      `${verified} of ${total} entries follow the one before them and are as they were recorded; the others could not be checked.`,
    { exitCode, remedy },
  );
}

async function check(audit: CheckedAudit, noted: AuditLink | undefined): Promise<Verification> {
  const { anchor, head } = audit;
  const chain = new ChainCheck(anchor);
  const expected = [head, noted].filter((link) => link !== undefined);
  const seen = new Map([[anchor.id, anchor.hash]]);
  for await (const entry of audit.entries) {
    chain.add(entry);
    if (expected.some(({ id }) => id === entry.id)) seen.set(entry.id, entry.hash ?? "");
  }
  const breaks = [...chain.breaks];
  if (head !== undefined && seen.get(head.id) === undefined) {
    breaks.push({ id: head.id, reason: `it is the newest one for the host, and is missing` });
  }
  if (noted !== undefined && seen.get(noted.id) !== noted.hash) {
    breaks.push({ id: noted.id, reason: describeNoted(noted, anchor, seen.has(noted.id)) });
  }
  return { entries: chain.count, anchor, head: chain.head, breaks };
}

function describeNoted({ id }: AuditLink, anchor: AuditLink, isThere: boolean): string {
  if (isThere) return "its hash is not the one that was noted: the audit was rewritten";
  return id < anchor.id
    ? "retention has removed it, so the noted hash cannot be compared"
    : "it was noted, and is missing: the end of the audit was cut off";
}

/** The audit of a running host. */
export async function auditOfHost({ audit }: Holdfast): Promise<CheckedAudit> {
  const { anchor, head } = await audit.chain();
  return { anchor, head, entries: audit.all({ after: anchor.id }) };
}

/** The audit in a file that `audit export` wrote; what follows a line that cannot be read is not checked. */
export async function auditOfFile(cwd: string, name: string): Promise<CheckedAudit> {
  const file = path.resolve(cwd, name);
  const lines = readLines(file);
  const first = await lines.next();
  if (first.done === true) return { anchor: { id: 0, hash: CHAIN_START }, entries: lines };
  if (first.value.filter !== undefined) {
    return { anchor: { id: 0, hash: CHAIN_START }, entries: lines, filter: first.value.filter };
  }
  if (first.value.anchor !== undefined) return { anchor: first.value.anchor, entries: lines };
  return { anchor: { id: 0, hash: CHAIN_START }, entries: startingWith(first.value, lines) };
}

/** An entry; the first line may be the place where the chain begins, or the filter, instead. */
type Line = ChainedRecord & {
  readonly anchor?: AuditLink;
  readonly filter?: Readonly<Record<string, unknown>>;
};

async function* startingWith(first: Line, lines: AsyncIterable<Line>): AsyncGenerator<Line, void, undefined> {
  yield first;
  yield* lines;
}

async function* readLines(file: string): AsyncGenerator<Line, void, undefined> {
  let number = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      number += 1;
      const value = JSON.parse(line) as Partial<Line> | null;
      const isFilter = number === 1 && typeof value?.filter === "object" && value.filter !== null;
      const isEntry = typeof value?.id === "number" || isLink(value?.anchor) || isFilter;
      if (!isEntry) throw new Error("it is no entry of an audit");
      yield value as Line;
    }
  } catch (cause) {
    const where = number === 0 ? "" : ` at line ${number}`;
    throw new CommandError("FILE_NOT_READ", `${file} cannot be read${where}: ${messageOf(cause)}.`, {
      exitCode: EXIT_CODES.setup,
      remedy: "Name a file that `holdfast audit export` wrote.",
      cause,
    });
  }
}

function isLink(value: Partial<AuditLink> | undefined): boolean {
  return typeof value?.id === "number" && typeof value.hash === "string";
}

/** A place of a chain in one word, for people to note: `ID:HASH`. */
function formatLink({ id, hash }: AuditLink): string {
  return `${id}:${hash}`;
}
