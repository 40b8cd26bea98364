// The files of the built page, found once and read when they are first asked for.
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** A file as it is sent. */
export interface PageFile {
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Absent where it would not make the file smaller. */
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined;
}

const compress = promisify(gzip);

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const packedAlready = new Set([".png", ".woff2"]);

/** The page in one folder. Only what lay there at the start is served, so no address leads out of it. */
export class PageFiles {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;
  readonly #read = new Map<string, Promise<PageFile | undefined>>();

  /** Throws when there is no such folder. */
  constructor(folder: string) {
    this.#folder = folder;
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    this.#names = new Set(
      entries
        .filter((entry) => entry.isFile())
        .map((entry) =>
          path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"),
        ),
    );
  }

  /** The file of this name, written with slashes; undefined when there is none. */
  find(name: string): Promise<PageFile | undefined> {
    if (!this.#names.has(name)) return Promise.resolve(undefined);
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const reading = this.#readFile(name);
    this.#read.set(name, reading);
    // A file that is not there may be there again when it is asked for next.
    void reading.then((file) => file ?? this.#read.delete(name));
    return reading;
  }

  async #readFile(name: string): Promise<PageFile | undefined> {
    const extension = path.extname(name);
    const bytes = await readIfThere(path.join(this.#folder, name));
    if (bytes === undefined) return undefined;
    const packed = packedAlready.has(extension) ? undefined : new Uint8Array(await compress(bytes));
    return {
      contentType: contentTypes[extension] ?? "application/octet-stream",
      bytes,
      gzipped: packed !== undefined && packed.length < bytes.length ? packed : undefined,
    };
  }
}

async function readIfThere(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await readFile(file));
  } catch {
    // Whatever the reason, there is no such file to be had.
    return undefined;
  }
}
