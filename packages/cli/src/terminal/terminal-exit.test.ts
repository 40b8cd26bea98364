// Words for an exit that the host did not see.
import { expect, it } from "vitest";
import { exitWords, unknownExitSentence } from "./terminal-exit.ts";

it.each([
  ["The host was restarted", "when the host restarted"],
  ["The host was stopped.", "when the host stopped"],
  ["The host did not report it", "(The host did not report it)"],
])("[C516] %j is a reason in a sentence", (reason, words) => {
  const exit = { kind: "unknown", reason } as const;
  expect(exitWords(exit)).toBe(`ended ${words}; exit code unknown`);
  expect(unknownExitSentence(exit)).toBe(`The command ended ${words}; its exit code is unknown.`);
});
