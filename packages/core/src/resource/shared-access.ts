// Which files clients may reach: those in the folders of the open sessions, and outside of them what a client was granted.
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ClientId } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import { ALLOWED, type Audit } from "../audit/audit.ts";
import { describeActor } from "../audit/describe-actor.ts";
import type { Isolation } from "../isolation/isolation.ts";
import { isReachable } from "../isolation/reach.ts";
import type { Sessions } from "../session/sessions.ts";
import type { FileAccess, FileGrants } from "./file-grants.ts";
import { type ResolvedFile, liesIn, resolveFile } from "./files.ts";
import { followLinks } from "./links.ts";

/** A client that works with files. */
export interface FileClient {
  readonly clientId: ClientId;
  readonly fileGrants: FileGrants;
}

export interface SharedAccessDeps {
  readonly sessions: Sessions;
  readonly isolation: Isolation;
  readonly audit: Audit;
}

/** Decides about paths, and records what is read and written. */
export class SharedAccess {
  readonly #deps: SharedAccessDeps;

  constructor(deps: SharedAccessDeps) {
    this.#deps = deps;
  }

  /** The place that a URI names, if the client may reach it so; links on the way are followed. */
  async require(access: FileAccess, uri: string, client: FileClient): Promise<ResolvedFile> {
    const file = await resolveFile(pathOf(uri));
    await this.#requirePath(access, uri, file, client);
    return file;
  }

  /** The same, without following a link that is the last name: to look at the link, move it or delete it. */
  async requireName(access: FileAccess, uri: string, client: FileClient): Promise<string> {
    const path = pathOf(uri);
    const realPath = join(await followLinks(dirname(path)), basename(path));
    await this.#requirePath(access, uri, { path, realPath, hasOtherNames: false }, client);
    return realPath;
  }

  /** Grants a client what it asks for; the host's own files are never granted. */
  async grant(uri: string, accesses: readonly FileAccess[], client: FileClient): Promise<void> {
    const { path, realPath } = await resolveFile(pathOf(uri));
    for (const access of accesses) {
      await this.#requireNotOwn(access, uri, realPath);
      if (liesIn(realPath, this.roots) || client.fileGrants.covers(access, realPath)) continue;
      client.fileGrants.add(access, realPath);
      this.#record(client, { what: "approval", subject: path, outcome: `${access} granted` });
    }
  }

  /** Refuses to move or delete the folder that a session works in. */
  requireNoRoot(realPath: string, uri: string): void {
    if (!this.roots.some((root) => liesIn(root, [realPath]))) return;
    throw new HostError(
      "PERMISSION_DENIED",
      `${uri} is, or contains, the folder of an open session. Close that session first.`,
    );
  }

  /** Puts on record that a file was read or written through the host. */
  recordUse(access: FileAccess, realPath: string, client: FileClient, outcome = "done"): void {
    this.#record(client, { what: `file-${access}`, subject: realPath, outcome });
  }

  get roots(): readonly string[] {
    return this.#deps.sessions.all.flatMap((session) => session.realRoots);
  }

  async #requirePath(access: FileAccess, uri: string, file: ResolvedFile, client: FileClient): Promise<void> {
    const { realPath, hasOtherNames } = file;
    // A further name of a file may lie outside (N678).
    const isInside = liesIn(realPath, this.roots) && !(access === "write" && hasOtherNames);
    if (!isInside && !client.fileGrants.covers(access, realPath)) {
      throw new HostError(
        "PERMISSION_DENIED",
        `${uri} is outside the folders of all sessions. Ask for it with resourceRequest.`,
        { details: { request: { channel: "ahp-root://", uri, [access]: true } } },
      );
    }
    await this.#requireNotOwn(access, uri, realPath);
  }

  async #requireNotOwn(access: FileAccess, uri: string, realPath: string): Promise<void> {
    const spec = this.#deps.isolation.specFor("guard", { roots: this.roots, ownFolders: [] });
    if (await isReachable(spec, access, realPath)) return;
    throw new HostError("PERMISSION_DENIED", `${uri} belongs to the host itself; clients cannot access it.`);
  }

  #record(
    { clientId }: FileClient,
    entry: { what: "approval" | `file-${FileAccess}`; subject: string; outcome: string },
  ): void {
    const session = this.#deps.sessions.all.find(({ realRoots }) => liesIn(entry.subject, realRoots));
    const by = describeActor({ kind: "client", clientId });
    this.#deps.audit.record({ session: session?.key ?? "", ...entry, by, ...ALLOWED });
  }
}

/** The path of a `file:` URI. */
function pathOf(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch (cause) {
    throw new HostError("FILE_NOT_FOUND", `${uri} is not the file: URI of a path on this machine.`, {
      cause,
    });
  }
}
