// `holdfast doctor --repair`: recovers what can be read of a damaged database, and says what that was (C262).
import { existsSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { findUnreadableRow, repairDatabase, type Repair } from "@holdfast/storage-sqlite";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { examineDatabase, explainStorageStart, startErrorFor } from "../serve/database.ts";
import { DATABASE_FILE, findHome } from "../serve/home.ts";
import { acquireLock } from "../serve/lock.ts";
import { nodeFlags } from "../serve/process-identity.ts";
import { count } from "../plural.ts";

/** What came of it: there was nothing to do, or a new database is in place. */
export type RepairOutcome =
  | { readonly kind: "sound"; readonly file: string }
  | { readonly kind: "repaired"; readonly file: string; readonly repair: Repair };

/** A person waits for it, and may wait long. */
const checkDeadlineMs = 60 * 60 * 1000;

/** Repairs the database of a home that no host uses. */
export async function repairHome(
  option: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<RepairOutcome> {
  const home = findHome(option, environment);
  const file = path.join(home, DATABASE_FILE);
  if (!existsSync(home)) return { kind: "sound", file };
  try {
    const attempt = await acquireLock(home);
    if (attempt.kind === "taken") {
      throw new CommandError(
        "CANNOT_START",
        `A host (process ${attempt.holder.pid}) uses ${home}. Stop it first: holdfast stop`,
        { exitCode: EXIT_CODES.setup },
      );
    }
    try {
      return await repairLocked(home, file);
    } finally {
      attempt.lock.release();
    }
  } catch (error) {
    throw explainStorageStart(error, home);
  }
}

async function repairLocked(home: string, file: string): Promise<RepairOutcome> {
  const node = [process.execPath, ...nodeFlags()];
  const health = await examineDatabase(home, checkDeadlineMs);
  switch (health.kind) {
    case "missing":
      throw startErrorFor(health, home);
    case "damaged":
      return { kind: "repaired", file, repair: await repairDatabase({ file, node }) };
    case "sound": {
      // Its pages are as they should be; what is in them may not be.
      if ((await findUnreadableRow(file, node)) === undefined) return { kind: "sound", file };
      return { kind: "repaired", file, repair: await repairDatabase({ file, node }) };
    }
    case "new":
      return { kind: "sound", file };
    case "unfinished":
    case "unchecked":
      if (health.kind === "unfinished") health.close();
      // What was not checked is not called sound.
      throw new CommandError(
        "CANNOT_START",
        `${file} could not be checked. Free space on its disk, end other programs that use it, and try again.`,
        { exitCode: EXIT_CODES.setup },
      );
  }
}

export function repairLines(outcome: RepairOutcome): string[] {
  const { file } = outcome;
  if (outcome.kind === "sound") return [`${file} is sound: there is nothing to repair.`];
  const { setAside, sessions, terminals, settings, auditEntries, emptiedChats, lostLogRows, hasGaps } =
    outcome.repair;
  return [
    `${file} was repaired. The damaged database is kept as ${setAside}.`,
    "",
    line("Sessions", sessions),
    line("Terminals", terminals),
    line("Keys, apps and webhooks", settings),
    line("Audit entries", auditEntries),
    `  Transcripts              ${count(lostLogRows, "unreadable entry", "unreadable entries")}, ${count(emptiedChats, "lost chat")}`,
    ...(hasGaps ? ["", "Some pages could not be read at all: more may be lost than is counted here."] : []),
  ];
}

function line(title: string, { recovered, lost }: { recovered: number; lost: number }): string {
  return `  ${title.padEnd(23)}  ${recovered} recovered, ${lost} lost`;
}
