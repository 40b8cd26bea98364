// The exit codes of turns that no test can make a real agent end with at will.
import { expect, it } from "vitest";
import { turnExitCode, turnFailure } from "./turn-end.ts";

it("[C26] of a turn that the end of its host cut short is 24, of one that was left that of leaving", () => {
  const error = { code: "HOST_RESTARTED", message: "The host was stopped in mid-turn." };
  expect(turnFailure({ kind: "failed", error })).toMatchObject({ exitCode: 24, code: "HOST_RESTARTED" });
  const left = { kind: "left", exitCode: 143 } as const;
  expect([turnFailure(left), turnExitCode(left)]).toEqual([undefined, 143]);
});

it("[C26] of a turn whose agent died comes with its last words, made safe", () => {
  const error = { code: "ACP_AGENT_EXITED", message: "The agent exited.", stderrTail: ["no key\u001B[2J"] };
  expect(turnFailure({ kind: "failed", error })).toMatchObject({
    exitCode: 23,
    remedy: "The agent's last output: no key\\e[2J",
  });
});
