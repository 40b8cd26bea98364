// Fuzzy matching.
import fc from "fast-check";
import { expect, it } from "vitest";
import { fuzzyMatch } from "./fuzzy.ts";

function ranked(search: string, texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => {
      const match = fuzzyMatch(search, text);
      return match === undefined ? [] : [{ text, score: match.score }];
    })
    .toSorted((one, other) => other.score - one.score)
    .map(({ text }) => text);
}

it("[Z850] prefers beginnings of words, letters next to each other, and short texts", () => {
  expect(ranked("ns", ["Instances", "New session", "Transport"])[0]).toBe("New session");
  expect(ranked("term", ["The early rose memory", "Terminals", "Determine"])).toEqual([
    "Terminals",
    "The early rose memory",
    "Determine",
  ]);
  expect(ranked("host", ["Host", "Ghostwriter of the host"])[0]).toBe("Host");
  expect(ranked("gate fix", ["Fix the gate", "Fix the fence"])).toEqual(["Fix the gate"]);
});

it("[Z850] matches the letters of a search in their order, and only then", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), fc.string({ maxLength: 4 }), (text, search) => {
      const wanted = search
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== "");
      const isIn = (word: string): boolean => {
        let at = -1;
        return Array.from(word).every((letter) => {
          at = text.toLowerCase().indexOf(letter, at + 1);
          return at >= 0;
        });
      };
      const match = fuzzyMatch(search, text);
      expect(match !== undefined).toBe(wanted.every(isIn));
      if (wanted.length === 1 && match !== undefined) {
        const found = match.places.map((place) => text.toLowerCase().charAt(place)).join("");
        expect(found).toBe(wanted[0]);
      }
    }),
  );
});
