// Sign-ins of browsers: made from a ticket or the token, recognised by their cookie, revoked. Only digests are kept.
import { randomBytes } from "node:crypto";
import { type SignIn, signInSchema } from "@holdfast/protocol";
import { digestOf, parseRecord, type StoreParts } from "./key-store.ts";

/** The browser that signs in. */
export interface SignInSource {
  readonly userAgent: string | undefined;
  readonly address: string | undefined;
}

export interface SignInParts extends StoreParts {
  /** The owner's token: sign-ins end with it. */
  readonly token: string;
  /** Ends what a client has open. */
  readonly end: (clientId: string) => void;
}

interface KeptSignIn {
  signIn: SignIn;
  readonly digest: string;
}

const prefix = "sign-in/";
/** A browser that is not used for so long is signed out. */
const idleMs = 30 * 24 * 60 * 60 * 1000;
/** How exact "last used" is. */
const useNotedEveryMs = 60_000;
/** Beyond it, the one that was not used for longest is signed out. */
const maxSignIns = 100;

/** The sign-ins of a host. It alone writes them, so what it has in memory is what holds. */
export class SignIns {
  readonly #parts: SignInParts;
  /** By the digest of their secret. */
  readonly #signIns = new Map<string, KeptSignIn>();
  readonly #tokenDigest: string;

  constructor(parts: SignInParts) {
    this.#parts = parts;
    this.#tokenDigest = digestOf(`sign-in ${parts.token}`).toString("hex");
    for (const name of parts.meta.keys(prefix)) this.#load(name);
  }

  /** Signs a browser in; the secret is for its cookie. */
  create({ userAgent, address = "unknown" }: SignInSource): {
    readonly signIn: SignIn;
    readonly secret: string;
  } {
    const secret = randomBytes(32).toString("base64url");
    const createdAt = this.#parts.now().toISOString();
    const signIn: SignIn = {
      id: randomBytes(8).toString("hex"),
      device: describeDevice(userAgent),
      address,
      createdAt,
      lastUsedAt: createdAt,
    };
    const kept = { signIn, digest: digestOf(secret).toString("hex") };
    this.#save(kept);
    this.#signIns.set(kept.digest, kept);
    for (const { id } of this.list().slice(maxSignIns)) this.revoke(id);
    return { signIn, secret };
  }

  /** The sign-in that a secret stands for; undefined when there is none, or none any more. */
  recognise(secret: string): SignIn | undefined {
    const kept = this.#signIns.get(digestOf(secret).toString("hex"));
    if (kept === undefined) return undefined;
    const unusedMs = this.#parts.now().getTime() - Date.parse(kept.signIn.lastUsedAt);
    if (unusedMs > idleMs) {
      this.revoke(kept.signIn.id);
      return undefined;
    }
    // A last use in the future is from before the clock was set back, and would prolong the sign-in (A710).
    if (unusedMs >= useNotedEveryMs || unusedMs < 0) this.#noteUse(kept);
    return kept.signIn;
  }

  /** Those that hold, the last used first. */
  list(): SignIn[] {
    const nowMs = this.#parts.now().getTime();
    return [...this.#signIns.values()]
      .map(({ signIn }) => signIn)
      .filter(({ lastUsedAt }) => nowMs - Date.parse(lastUsedAt) <= idleMs)
      .toSorted((one, other) => other.lastUsedAt.localeCompare(one.lastUsedAt));
  }

  /** Signs a browser out and closes what it has open; undefined when there is no such sign-in. */
  revoke(id: string): SignIn | undefined {
    const kept = [...this.#signIns.values()].find(({ signIn }) => signIn.id === id);
    if (kept === undefined) return undefined;
    // First in memory: a store that cannot write must not keep the door open.
    this.#signIns.delete(kept.digest);
    try {
      this.#parts.meta.delete(prefix + id);
    } finally {
      this.#parts.end(signInClientId(id));
    }
    return kept.signIn;
  }

  #noteUse(kept: KeptSignIn): void {
    kept.signIn = { ...kept.signIn, lastUsedAt: this.#parts.now().toISOString() };
    try {
      this.#save(kept);
    } catch (error) {
      // The cookie is right; that its use cannot be written down is no reason to refuse it.
      const { id } = kept.signIn;
      this.#parts.log("warn", "The use of a sign-in could not be recorded", { id, error });
    }
  }

  #save({ signIn, digest }: KeptSignIn): void {
    const record = { ...signIn, digest, token: this.#tokenDigest };
    this.#parts.meta.set(prefix + signIn.id, JSON.stringify(record));
  }

  /** A sign-in of another token, or one that was not used for long, is removed. */
  #load(name: string): void {
    const record = parseRecord(this.#parts.meta.get(name));
    const read = signInSchema.safeParse(record);
    const { digest, token } = record;
    const isRead = read.success && typeof digest === "string" && token === this.#tokenDigest;
    const usedMs = isRead ? Date.parse(read.data.lastUsedAt) : Number.NaN;
    if (isRead && this.#parts.now().getTime() - usedMs <= idleMs) {
      this.#signIns.set(digest, { signIn: read.data, digest });
    } else {
      this.#parts.meta.delete(name);
    }
  }
}

/** The client id of a browser that is signed in. */
export function signInClientId(id: string): string {
  return `sign-in:${id}`;
}

const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdg/, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/Chrom(?:e|ium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\biP(?:hone|ad|od)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** The browser and system that a `User-Agent` names, for people. */
function describeDevice(userAgent = ""): string {
  const nameIn = (table: typeof browsers): string | undefined =>
    table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  if (browser === undefined) return "Another program";
  return system === undefined ? browser : `${browser} on ${system}`;
}
