// Secrets go out of every text, in every form, and nothing else does.
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { REDACTED, Redactor } from "./redactor.ts";

const secret = `sk-tést/"quoted" + 42%`;

function redactorOf(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  for (const each of secrets) redactor.add(each);
  return redactor;
}

describe("[O1] redaction by value", () => {
  it("[O1] takes every occurrence out of a text", () => {
    const redactor = redactorOf("hunter2hunter2");
    expect(redactor.redact("hunter2hunter2, a hunter2hunter2b, hunter2")).toBe(
      "[redacted], a [redacted]b, hunter2",
    );
  });

  it("[O1] gives a text back as it was where there is nothing to take out", () => {
    const text = "nothing of interest";
    expect(new Redactor().redact(text)).toBe(text);
    expect(redactorOf("hunter2hunter2").redact(text)).toBe(text);
  });

  it("[O1] leaves nothing of secrets that overlap or hold each other", () => {
    const redactor = redactorOf("abcdefgh", "efghijkl", "cdef");
    expect(redactor.redact("-abcdefghijkl-")).toBe("-[redacted]-");
    expect(redactor.redact("-abcdef-")).toBe("-ab[redacted]-");
    expect(redactorOf("abcdefghij", "cdef").redact("-abcdefghij-")).toBe("-[redacted]-");
  });

  it("[O1] finds what a separate search for each secret would find", () => {
    const longSecret = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 6, maxLength: 7 });
    const between = fc.string({ unit: fc.constantFrom("a", "b", "ä", "\u{1F511}"), maxLength: 6 });
    const example = fc.array(longSecret, { minLength: 1, maxLength: 3 }).chain((long) => {
      // Short ones inside long ones, and long ones that touch.
      const secrets = [...long, ...long.map((each) => each.slice(1, -1))];
      const pieces = fc.array(fc.oneof(fc.constantFrom(...secrets), between), { maxLength: 8 });
      return fc.record({ secrets: fc.constant(secrets), text: pieces.map((each) => each.join("")) });
    });
    fc.assert(
      fc.property(example, ({ secrets, text }) => {
        expect(redactorOf(...secrets).redact(text)).toBe(redactSlowly(text, secrets));
      }),
      { numRuns: 500 },
    );
  });
});

/** Marks each place of each secret, then replaces what is marked. */
function redactSlowly(text: string, secrets: readonly string[]): string {
  const marked = new Set<number>();
  const beginnings = new Set<number>();
  for (const each of secrets) {
    for (let at = text.indexOf(each); at !== -1; at = text.indexOf(each, at + 1)) {
      beginnings.add(at);
      for (let index = at; index < at + each.length; index += 1) marked.add(index);
    }
  }
  let redacted = "";
  let coveredTo = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (!marked.has(index)) redacted += text[index];
    else if (index >= coveredTo && beginnings.has(index)) redacted += REDACTED;
    for (const each of secrets) {
      if (text.startsWith(each, index)) coveredTo = Math.max(coveredTo, index + each.length);
    }
  }
  return redacted;
}

describe("[O2] encoded forms", () => {
  const basic = (before: string, after: string): string =>
    Buffer.from(`${before}${secret}${after}`).toString("base64");

  it.each([
    ["in JSON", JSON.stringify({ key: secret })],
    ["in JSON that is text in JSON", JSON.stringify(JSON.stringify({ key: secret }))],
    ["in an address", `https://example.org/?key=${encodeURIComponent(secret)}&next=1`],
    [
      "in an address with small escapes",
      encodeURIComponent(secret).replaceAll(/%../g, (each) => each.toLowerCase()),
    ],
    ["in a form", new URLSearchParams({ key: secret }).toString()],
    ["in base64", Buffer.from(secret).toString("base64")],
    ["in base64 for addresses", Buffer.from(secret).toString("base64url")],
    ["in base64 behind one byte", basic("u", "")],
    ["in base64 behind two bytes and before others", basic("u:", " and more")],
    ["in base64 behind three bytes", basic("me:", "!")],
  ])("[O2] a secret is found %s", (_where, text) => {
    const redacted = redactorOf(secret).redact(text);
    expect(redacted).toContain(REDACTED);
    const letters = redacted.replace(REDACTED, "");
    for (let at = 0; at + 6 <= secret.length; at += 1) {
      expect(letters).not.toContain(secret.slice(at, at + 6));
    }
    expect(Buffer.from(letters, "base64").toString()).not.toContain("quoted");
  });

  it("[O2] a secret of many lines is found line by line", () => {
    const redactor = redactorOf("-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n}\n");
    expect(redactor.redact("  MIIEvQIBADANBgkqhkiG")).toBe("  [redacted]");
    expect(redactor.redact("{}")).toBe("{}");
  });

  it("[O2] a secret with half a character in it harms nothing", () => {
    expect(redactorOf("half \ud800 a character").redact("half \ud800 a character")).toBe(REDACTED);
  });
});

describe("[O3] what is looked for", () => {
  it("[O3] is nothing of fewer than four characters, and of fewer than eight only the value itself", () => {
    expect(redactorOf("abc", "").redact("abc")).toBe("abc");
    const redactor = redactorOf("a b/c");
    expect(redactor.redact("a b/c")).toBe(REDACTED);
    expect(redactor.redact("a%20b%2Fc")).toBe("a%20b%2Fc");
  });

  it("[O3] is looked for until everybody who added it has taken it back", () => {
    const redactor = new Redactor();
    const first = redactor.add("hunter2hunter2");
    const second = redactor.add("hunter2hunter2");
    first();
    first();
    expect(redactor.redact("hunter2hunter2")).toBe(REDACTED);
    second();
    expect(redactor.redact("hunter2hunter2")).toBe("hunter2hunter2");
  });

  it("[O3] is not forgotten with another secret that resembles it", () => {
    const redactor = new Redactor();
    const takeBack = redactor.add("aaaa-bbbb-cccc");
    redactor.add("xaaaa-bbbb-cccc");
    takeBack();
    expect(redactor.redact("xaaaa-bbbb-cccc aaaa-bbbb-cccc")).toBe("[redacted] aaaa-bbbb-cccc");
  });
});

describe("[O4] redaction of values", () => {
  const redactor = redactorOf("hunter2hunter2", "12345678");

  it("[O4] reaches texts, numbers and names at any depth", () => {
    expect(
      redactor.redactDeep({
        stderrTail: ["ok", "key hunter2hunter2"],
        nested: { hunter2hunter2: 12345678, count: 1, none: null, flag: true },
      }),
    ).toEqual({
      stderrTail: ["ok", "key [redacted]"],
      nested: { "[redacted]": "[redacted]", count: 1, none: null, flag: true },
    });
  });

  it("[O4] copies only what changes", () => {
    const clean = { list: [1, "two", Number.NaN] };
    expect(redactor.redactDeep(clean)).toBe(clean);
    const mixed = { clean, text: "hunter2hunter2" };
    expect(redactor.redactDeep(mixed).clean).toBe(clean);
    expect(mixed.text).toBe("hunter2hunter2");
  });

  it("[O4] leaves alone what JSON does not know", () => {
    const at = new Date(0);
    expect(redactor.redactDeep({ at, text: "hunter2hunter2" })).toEqual({ at, text: REDACTED });
  });
});
