// Folders in the host's home in which the built-in agent keeps its files: one for each session.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { SessionState, SessionUri } from "@holdfast/ahp";

/** The session that a folder is for. */
export type FolderOwner = Pick<SessionState, "resource" | "backendId">;

/** The folders of one host. A sandbox has only that of the session it belongs to (N710). */
export class AgentFolders {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = path.join(stateFolder, "agents");
  }

  /** The folder of a session, which is there afterwards; without a session, that of trials. */
  make(agentId: string, session?: FolderOwner): string {
    const folder = this.#folderOf(agentId, session);
    // A sandbox can only show what exists.
    const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
    if (isNew && session?.backendId !== undefined) this.#moveKept(agentId, session.backendId, folder);
    return folder;
  }

  /** Removes the files of a session that is deleted, whichever agent it had. */
  async remove(session: SessionUri): Promise<void> {
    if (!existsSync(this.#folder)) return;
    for (const agentId of readdirSync(this.#folder)) {
      const folder = path.join(this.#folder, agentId, nameOf(session));
      await rm(folder, { recursive: true, force: true });
    }
  }

  #folderOf(agentId: string, session: FolderOwner | undefined): string {
    return path.join(this.#folder, agentId, session === undefined ? "trial" : nameOf(session.resource));
  }

  /** Versions before kept the files of all sessions side by side, named after the agent's id of the session. */
  #moveKept(agentId: string, backendId: string, folder: string): void {
    const common = path.join(this.#folder, agentId);
    for (const name of readdirSync(common)) {
      const target = path.join(folder, name);
      if (name.startsWith(`${backendId}.`) && !existsSync(target)) {
        renameSync(path.join(common, name), target);
      }
    }
  }
}

/** A digest, because a client may have chosen the session's id. */
function nameOf(session: SessionUri): string {
  return createHash("sha256").update(session).digest("hex").slice(0, 32);
}
