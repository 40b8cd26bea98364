// Code blocks without their fences, for any cut of the text.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FenceFilter } from "./screen.ts";

function filter(pieces: readonly string[]): string {
  const fences = new FenceFilter();
  return pieces.map((piece) => fences.push(piece)).join("") + fences.end();
}

describe("[C380] an answer without fences", () => {
  it.each([
    ["```\nhi\n```\n\nExit code 0.", "hi\n\nExit code 0."],
    ["```ts\nlet a;\n```", "let a;\n"],
    ["~~~\na\n```\nb\n~~~\n", "a\n```\nb\n"],
    ["````\n```\ninner\n```\n````\n", "```\ninner\n```\n"],
    ["`code` and ``` in a line\n", "`code` and ``` in a line\n"],
    ["no fence\n", "no fence\n"],
    ["```", ""],
    ["``", "``"],
    ["   ```\r\nx\r\n   ```\r\n", "x\r\n"],
    ["    ```\nindented code\n", "    ```\nindented code\n"],
  ])("[C380] %j is shown as %j", (text, shown) => {
    expect(filter([text])).toBe(shown);
  });

  it("[C380] is the same however the text is cut", () => {
    const line = fc.constantFrom("```", "```ts", "~~~", "``", "", "text", "`a`", "    ```", "````", " ~~~ ");
    const text = fc.array(line).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, fc.array(fc.nat(20)), (whole, cuts) => {
        const pieces: string[] = [];
        let rest = whole;
        for (const cut of cuts) {
          pieces.push(rest.slice(0, cut));
          rest = rest.slice(cut);
        }
        expect(filter([...pieces, rest])).toBe(filter([whole]));
      }),
    );
  });
});
