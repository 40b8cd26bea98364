// The form in which the host keeps secrets that it must recognise.
import { createHash } from "node:crypto";

/**
 * The SHA-256 digest of a key or token.
 * A slow, salted hash is for what people choose; these are 32 random bytes, which nobody finds by trying, however fast.
 */
export function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
