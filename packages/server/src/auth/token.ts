// Tells the owner of the host by the token that was made at its first start.
import { createHash, timingSafeEqual } from "node:crypto";
import { HostError } from "@holdfast/protocol";
import type { Caller } from "../host-port.ts";

/** The headers that may carry a key. */
export interface CredentialHeaders {
  readonly apiKey: string | undefined;
  readonly authorization: string | undefined;
}

const bearer = /^bearer +(\S+) *$/i;

/** The host's token; it keeps only a digest of it. */
export class OwnerToken {
  readonly #digest: Buffer;

  constructor(token: string) {
    if (token === "") throw new TypeError("The owner's token must not be empty");
    this.#digest = digestOf(token);
  }

  /** Who sends these headers; throws when neither carries the token (A10). */
  identify({ apiKey, authorization }: CredentialHeaders): Caller {
    // Some clients send both, and in one of them a token of their own making.
    const keys = [apiKey, bearer.exec(authorization ?? "")?.[1]];
    if (!keys.some((key) => key !== undefined && this.#matches(key))) throw new HostError("UNAUTHORIZED");
    return { kind: "owner" };
  }

  /** Compares digests: they have one length, and the time it takes says nothing about the token. */
  #matches(key: string): boolean {
    return timingSafeEqual(digestOf(key), this.#digest);
  }
}

function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
