// Signs deliveries, so that their receiver knows who sent them, and when.
import { createHmac } from "node:crypto";

/**
 * The `x-holdfast-signature` of a body sent at a moment. The receiver makes it again from the timestamp header
 * and the body's bytes, compares in constant time, and refuses what is older than a few minutes (W3).
 */
export function signatureOf(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}
