// The forms in which a secret can turn up in a text.
import { Buffer } from "node:buffer";

/** A shorter secret is part of too many innocent words to be removed. */
export const MIN_SECRET_LENGTH = 4;

/** Shorter ones are looked for as they are: their encoded forms would be found by accident. */
const minEncodedLength = 8;

/** A shorter line of a secret of many lines, such as a bare brace, gives nothing away. */
const minLineLength = 16;

/** Every text to look for, each once; none for what is too short to be a secret (O3). */
export function formsOf(value: string): string[] {
  // Files end in a line break that their readers may or may not leave out.
  const secret = value.trim();
  if (secret.length < MIN_SECRET_LENGTH) return [];
  const forms = [secret, ...linesOf(secret)].flatMap(quotedForms);
  if (secret.length >= minEncodedLength) forms.push(...addressForms(secret), ...base64Forms(secret));
  return [...new Set(forms)].filter((form) => form.length >= MIN_SECRET_LENGTH);
}

/** Text that is shown line by line, such as a process's stderr, shows a key of many lines so. */
function linesOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  return lines.length === 1 ? [] : lines.filter((line) => line.length >= minLineLength);
}

/** As it is, as it appears in JSON, and as it appears in JSON inside a JSON string. */
function quotedForms(text: string): string[] {
  const quoted = quote(text);
  return [text, quoted, quote(quoted)];
}

function quote(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As it appears in a URL or in a form that a page sends. */
function addressForms(secret: string): string[] {
  // Half a character has no bytes; this is what everybody writes in its place.
  const wellFormed = Buffer.from(secret).toString();
  const inAddress = encodeURIComponent(wellFormed);
  const inForm = new URLSearchParams([["", wellFormed]]).toString().slice(1);
  return [inAddress, inForm].flatMap((form) => [form, lowerCaseEscapes(form)]);
}

function lowerCaseEscapes(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

/**
 * As it stands in base64. Before it may be anything, a name and a colon for one, so that it begins at the
 * first, second or third byte of a group; the characters that it shares with its neighbours are left out.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    return [padded.toString("base64"), padded.toString("base64url")].map((text) => text.slice(start, end));
  });
}
