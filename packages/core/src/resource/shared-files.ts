// The files that clients may read: those in the folders of the sessions, and the texts that tool calls show.
import { constants } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type FileVersion, makeId, turnParts } from "@holdfast/ahp";
import {
  type ChangedFileAddress,
  type EditAddress,
  parseChangedFileUri,
  parseEditUri,
} from "@holdfast/ahp/dialects";
import { HostError } from "@holdfast/protocol";
import type { SessionDirectory } from "../session/session-directory.ts";
import type { Sessions } from "../session/sessions.ts";
import { openAt } from "./checked-open.ts";
import { isInside } from "./files.ts";
import { Resources } from "./resources.ts";
import type { FileClient, SharedAccess } from "./shared-access.ts";

/** A resource's content. */
export interface ReadResource {
  readonly bytes: Uint8Array;
  readonly contentType?: string;
}

/** A file or a folder whose name begins with the typed text. */
export interface CompletedPath {
  /** From the session's folder; a folder ends in a slash. */
  readonly path: string;
  readonly uri: string;
}

const maxFileBytes = 8 * 1024 * 1024;
const maxCompletions = 100;

/** The files of a host's sessions. */
export class SharedFiles {
  readonly #sessions: Sessions;
  readonly #directory: SessionDirectory;
  /** Decides who may reach what. */
  readonly access: SharedAccess;
  /** Everything but reading. */
  readonly resources: Resources;

  constructor(sessions: Sessions, directory: SessionDirectory, access: SharedAccess) {
    this.access = access;
    this.resources = new Resources(access);
    this.#sessions = sessions;
    this.#directory = directory;
  }

  /** Reads a text of a tool call, or a file that the client may reach; anything else is rejected. */
  async read(uri: string, client: FileClient): Promise<ReadResource> {
    const address = parseEditUri(uri);
    if (address !== undefined) return this.#readEdit(address);
    const changed = parseChangedFileUri(uri);
    if (changed !== undefined) return this.#readChanged(changed);
    const { realPath } = await this.access.require("read", uri, client);
    const bytes = await readFile(realPath);
    this.access.recordUse("read", realPath, client);
    return { bytes };
  }

  /** Completions of a path that somebody is typing, relative to the session's folder. */
  async complete(uri: string, written: string): Promise<CompletedPath[]> {
    const session = this.#sessions.ofChannel(uri);
    const [root] = session?.roots ?? [];
    if (session === undefined || root === undefined) return [];
    const typedFolder = written.endsWith("/") ? written : dirname(written);
    const folder = resolve(root, typedFolder);
    if (!(await isInside(folder, session.realRoots))) return [];
    const start = written.endsWith("/") ? "" : basename(written);
    // A folder that does not exist, or that cannot be read, completes nothing.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    return entries
      .filter(({ name }) => name.startsWith(start) && (start !== "" || !name.startsWith(".")))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .slice(0, maxCompletions)
      .map((entry) => ({
        path: join(typedFolder === "." ? "" : typedFolder, entry.name) + (entry.isDirectory() ? "/" : ""),
        uri: pathToFileURL(join(folder, entry.name)).href,
      }));
  }

  async #readChanged({ session, ...wanted }: ChangedFileAddress): Promise<ReadResource> {
    const found = this.#sessions.ofChannel(session);
    if (found === undefined) throw new HostError("NOT_FOUND", "This session is closed.");
    return { bytes: await found.changes.content(wanted) };
  }

  #readEdit({ chat, turnId, toolCallId, index, side }: EditAddress): ReadResource {
    const turn = this.#directory.findTurn(chat, turnId);
    const call = (turn === undefined ? [] : turnParts(turn)).find(
      (part) => part.kind === "toolCall" && part.toolCall.toolCallId === makeId("tool call", toolCallId),
    );
    const content = call?.kind === "toolCall" ? call.toolCall.content[index] : undefined;
    const version: FileVersion | undefined = content?.type === "fileEdit" ? content[side] : undefined;
    if (version?.kind !== "text") throw new HostError("NOT_FOUND", "This text is no longer available.");
    return { bytes: Buffer.from(version.text), contentType: "text/plain; charset=utf-8" };
  }
}

/** Opened once, so that what is checked is what is read. */
async function readFile(path: string): Promise<Uint8Array> {
  const file = await openAt(path, constants.O_RDONLY).catch((cause: unknown) => {
    throw new HostError("FILE_NOT_FOUND", `${path} does not exist or cannot be read.`, { cause });
  });
  try {
    const { size, isFile } = await file.stat().then((stat) => ({ size: stat.size, isFile: stat.isFile() }));
    if (!isFile) throw new HostError("FILE_NOT_FOUND", `${path} is not a file.`);
    if (size > maxFileBytes) {
      throw new HostError(
        "BODY_TOO_LARGE",
        `${path} has ${size} bytes; at most ${maxFileBytes} are read at once.`,
      );
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}
