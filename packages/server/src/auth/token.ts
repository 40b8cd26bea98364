// Tells the owner of the host by the token that was made at its first start.
import { timingSafeEqual } from "node:crypto";
import { digestOf } from "./digest.ts";

/** The host's token; it keeps only a digest of it. */
export class OwnerToken {
  readonly #digest: Buffer;

  constructor(token: string) {
    if (token === "") throw new TypeError("The owner's token must not be empty");
    this.#digest = digestOf(token);
  }

  /** Compares digests: they have one length, and the time it takes says nothing about the token (A10). */
  matches(text: string): boolean {
    return timingSafeEqual(digestOf(text), this.#digest);
  }
}
