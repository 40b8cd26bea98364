// The text of an API key: how it is made, and how its id is read from it.
import { randomBytes } from "node:crypto";

/** A new key: the whole is the secret, the id in it only says which key it would be. */
export interface NewKeyText {
  readonly id: string;
  readonly text: string;
}

const pattern = /^hf_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

/** Makes a key of 32 random bytes and an id of its own. */
export function makeKeyText(): NewKeyText {
  const id = randomBytes(8).toString("hex");
  return { id, text: `hf_${id}_${randomBytes(32).toString("base64url")}` };
}

/** The id that a text would have as a key; undefined when it has not the form of one. */
export function keyIdOf(text: string): string | undefined {
  return pattern.exec(text)?.[1];
}
