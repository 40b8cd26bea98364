// Routes of the page: its files for everyone, the page itself after sign-in.
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { HostError } from "@holdfast/protocol";
import type { Context, Hono } from "hono";
import { type Audit, rightsEntry } from "@holdfast/core";
import type { Access } from "../auth/access.ts";
import type { Peer } from "../auth/address.ts";
import { bindingsOf, type ServerEnv } from "../http/operation-routes.ts";
import { cookieSecret, PAGE_MARK, actingSecret, writeCookie } from "./page-cookie.ts";
import { signInPage } from "./sign-in.ts";
import { TICKET_MEMBER } from "./sign-in-link.ts";

interface PageOptions {
  readonly webRoot: string;
  readonly access: Access;
  readonly audit: Pick<Audit, "record">;
  readonly peerOf: (c: Context<ServerEnv>) => Peer;
}

/** No script but the page's own files, no connection but to this host, in nobody's frame (Z2). */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // The terminal's screen writes its own styles.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const safety = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const;

const html = "text/html; charset=utf-8";
const usedLink = "This link was used, or has expired. Run `holdfast open` on the host for another one.";
const notForKeys = "This is an API key. To open the page, use the host's own token.";
/** Their names change with their content. */
const forever = "public, max-age=31536000, immutable";

/** Mounts the page at `/`, its files below `/assets/`, and the end of a sign-in (Z1, Z3, Z620). */
export function mountPage(app: Hono<ServerEnv>, options: PageOptions): void {
  const { access } = options;
  const files = new PageFiles(options.webRoot);
  app.get("/", async (c) => {
    c.set("operation", "page");
    const secret = cookieSecret({ cookie: c.req.header("cookie"), host: c.req.header("host") });
    const isKnown = secret !== undefined && access.signIns.recognise(secret) !== undefined;
    const ticket = c.req.query(TICKET_MEMBER);
    // A look at the headers uses no ticket up; and a browser that is signed in, perhaps by this very one, needs none.
    if (ticket !== undefined && c.req.method !== "HEAD") {
      return isKnown ? redirect() : signInByTicket(c, options, ticket);
    }
    const token = c.req.query("tkn");
    if (token !== undefined) return signInByToken(c, options, token);
    const file = isKnown ? await files.find("index.html") : undefined;
    return file === undefined
      ? page(signInPage(), isKnown ? 404 : 401)
      : send(c, file, { "cache-control": "no-cache", vary: "accept-encoding, cookie" });
  });
  app.post("/", async (c) => {
    c.set("operation", "page");
    const form = new URLSearchParams(await readShort(c));
    return signInByToken(c, options, form.get("tkn") ?? "");
  });
  app.post("/sign-out", (c) => {
    c.set("operation", "signOut");
    return signOut(c, options);
  });
  app.get("/assets/:name", async (c) => {
    c.set("operation", "page");
    const file = await files.find(`assets/${c.req.param("name")}`);
    // Also where another page was built meanwhile: the page that asks must be reloaded.
    if (file === undefined) throw new HostError("NOT_FOUND");
    return send(c, file, { "cache-control": forever, vary: "accept-encoding" });
  });
}

/** Exchanges a ticket for a sign-in. */
async function signInByTicket(
  c: Context<ServerEnv>,
  options: PageOptions,
  ticket: string,
): Promise<Response> {
  const { access } = options;
  await access.peerCheck.requireNoAgent(bindingsOf(c).incoming?.socket);
  if (access.signInTickets.redeem(ticket) === undefined) return page(signInPage(usedLink), 401);
  return signIn(c, options, "ticket");
}

/** Exchanges the token for a sign-in. */
async function signInByToken(c: Context<ServerEnv>, options: PageOptions, token: string): Promise<Response> {
  const { access, peerOf } = options;
  try {
    const credentials = { apiKey: token, authorization: undefined, appId: undefined };
    const identity = access.authenticator.identify(credentials, peerOf(c));
    if (identity.kind !== "token") return page(signInPage(notForKeys), 403);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const reason = error.status === 401 ? "This is not the host's token." : error.message;
    return page(signInPage(reason), error.status);
  }
  await access.peerCheck.requireNoAgent(bindingsOf(c).incoming?.socket);
  return signIn(c, options, "token");
}

/** Gives the browser a cookie, and leads to the address without the credential, so that it stays in no history. */
function signIn(c: Context<ServerEnv>, { access, audit, peerOf }: PageOptions, by: string): Response {
  const source = { userAgent: c.req.header("user-agent"), address: peerOf(c).address };
  const { signIn: made, secret } = access.signIns.create(source);
  const subject = `${made.id} ${made.device}`;
  audit.record(rightsEntry({ what: "sign-in", subject, by: `${by} from ${made.address}` }));
  return redirect(writeCookie(c.req.header("host"), secret));
}

/** Ends the sign-in of the browser that asks, by its page alone. */
function signOut(c: Context<ServerEnv>, { access, audit }: PageOptions): Response {
  const host = c.req.header("host");
  const secret = actingSecret({
    cookie: c.req.header("cookie"),
    host,
    origin: c.req.header("origin"),
    mark: c.req.header(PAGE_MARK),
  });
  const ended = secret === undefined ? undefined : access.signIns.recognise(secret);
  if (ended === undefined) throw new HostError("UNAUTHORIZED");
  access.signIns.revoke(ended.id);
  const subject = `${ended.id} ${ended.device}`;
  audit.record(rightsEntry({ what: "sign-in", subject, by: "its browser", outcome: "signed out" }));
  return redirect(writeCookie(host, ""));
}

function redirect(cookie?: string): Response {
  return new Response(null, {
    status: 303,
    headers: {
      ...safety,
      location: "/",
      ...(cookie !== undefined && { "set-cookie": cookie }),
      "cache-control": "no-store",
    },
  });
}

function send(c: Context<ServerEnv>, file: PageFile, headers: Readonly<Record<string, string>>): Response {
  const isPacked = file.gzipped !== undefined && /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
  const bytes = isPacked ? file.gzipped : file.bytes;
  return new Response(bytes, {
    headers: {
      ...safety,
      ...headers,
      "content-type": file.contentType,
      ...(isPacked && { "content-encoding": "gzip" }),
    },
  });
}

function page(text: string, status: number): Response {
  return new Response(text, {
    status,
    headers: { ...safety, "content-type": html, "cache-control": "no-store" },
  });
}

/** A token is short; what is longer is none. */
const maxFormBytes = 4096;

async function readShort(c: Context<ServerEnv>): Promise<string> {
  const lengthBytes = Number(c.req.header("content-length") ?? Number.POSITIVE_INFINITY);
  const isShort = lengthBytes <= maxFormBytes;
  if (!isShort) throw new HostError("INVALID_REQUEST", "That is too long to be a token.");
  return c.req.text();
}

interface PageFile {
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
class PageFiles {
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
