// API keys: made, recognised, revoked. Only digests of them are kept.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Log, Meta } from "@holdfast/core";
import { type ApiKey, apiKeySchema, completeCeiling, type KeyRequest } from "@holdfast/protocol";

/**
 * The SHA-256 digest of a key or token.
 * A slow, salted hash is for what people choose; these are 32 random bytes, which nobody finds by trying, however fast.
 */
export function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** The members of a record; none when the text is no record. */
export function parseRecord(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // A text that is not JSON has no members; the caller reports what is missing.
    return {};
  }
}

/** A new key: the whole is the secret, the id in it only says which key it would be. */
interface NewKeyText {
  readonly id: string;
  readonly text: string;
}

const pattern = /^hf_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

/** Makes a key of 32 random bytes and a separate id. */
function makeKeyText(): NewKeyText {
  const id = randomBytes(8).toString("hex");
  return { id, text: `hf_${id}_${randomBytes(32).toString("base64url")}` };
}

/** The id that a text would have as a key; undefined when it has not the form of one. */
function keyIdOf(text: string): string | undefined {
  return pattern.exec(text)?.[1];
}

export interface StoreParts {
  readonly meta: Meta;
  readonly log: Log;
  readonly now: () => Date;
}

interface KeptKey {
  key: ApiKey;
  readonly digest: Buffer;
}

const prefix = "key/";
/** How exact "last used" is: a key in steady use is written down so often. */
const useNotedEveryMs = 60_000;

/** All keys of a host. It alone writes them, so what it has in memory is what holds. */
export class KeyStore {
  readonly #parts: StoreParts;
  readonly #keys = new Map<string, KeptKey>();
  /** Compared with where there is no such key, so that the answer takes as long as for one that is there. */
  readonly #nobody = randomBytes(32);

  constructor(parts: StoreParts) {
    this.#parts = parts;
    for (const name of parts.meta.keys(prefix)) this.#load(name);
  }

  /** Makes a key; its text is returned here and never again (A60). */
  create({ name, scopes, ceiling }: KeyRequest): { readonly key: ApiKey; readonly text: string } {
    const { id, text } = makeKeyText();
    const key: ApiKey = {
      id,
      name,
      scopes: [...new Set(scopes)],
      ...(!scopes.includes("admin") && { ceiling: completeCeiling(ceiling) }),
      createdAt: this.#parts.now().toISOString(),
      lastUsedAt: null,
      revokedAt: null,
    };
    const kept = { key, digest: digestOf(text) };
    this.#save(kept);
    this.#keys.set(id, kept);
    return { key, text };
  }

  /** All keys, revoked ones too, the oldest first. */
  list(): ApiKey[] {
    const keys = [...this.#keys.values()].map(({ key }) => key);
    return keys.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  /** Takes a key back, from this moment on; undefined when there is no such key (A61). */
  revoke(id: string): ApiKey | undefined {
    const kept = this.#keys.get(id);
    if (kept === undefined) return undefined;
    if (kept.key.revokedAt === null) {
      const revokedAt = this.#parts.now().toISOString();
      // First in memory: a store that cannot write must not keep the door open.
      kept.key = { ...kept.key, revokedAt };
      this.#save(kept);
    }
    return kept.key;
  }

  /** The key that a text is; undefined when it is none, or none any more. */
  recognise(text: string): ApiKey | undefined {
    const kept = this.#keys.get(keyIdOf(text) ?? "");
    const isRight = timingSafeEqual(digestOf(text), kept?.digest ?? this.#nobody);
    if (kept === undefined || !isRight || kept.key.revokedAt !== null) return undefined;
    this.#noteUse(kept);
    return kept.key;
  }

  #noteUse(kept: KeptKey): void {
    const now = this.#parts.now();
    const { lastUsedAt } = kept.key;
    if (lastUsedAt !== null && now.getTime() - Date.parse(lastUsedAt) < useNotedEveryMs) return;
    kept.key = { ...kept.key, lastUsedAt: now.toISOString() };
    try {
      this.#save(kept);
    } catch (error) {
      // The key is right; that its use cannot be written down is no reason to refuse it.
      this.#parts.log("warn", "The use of a key could not be recorded", { keyId: kept.key.id, error });
    }
  }

  #save({ key, digest }: KeptKey): void {
    this.#parts.meta.set(prefix + key.id, JSON.stringify({ ...key, digest: digest.toString("hex") }));
  }

  #load(name: string): void {
    const record = parseRecord(this.#parts.meta.get(name));
    const read = apiKeySchema.safeParse(record);
    const digest = Buffer.from(String(record["digest"]), "hex");
    if (read.success && digest.length === this.#nobody.length) {
      this.#keys.set(read.data.id, { key: withCeiling(read.data), digest });
    } else {
      this.#parts.log("error", "A key in the store cannot be read, and grants nothing", { name });
    }
  }
}

/** Keys of earlier versions have no ceiling on record, and get the one of new keys (A622). */
function withCeiling(key: ApiKey): ApiKey {
  const needsOne = key.ceiling === undefined && !key.scopes.includes("admin");
  return needsOne ? { ...key, ceiling: completeCeiling() } : key;
}
