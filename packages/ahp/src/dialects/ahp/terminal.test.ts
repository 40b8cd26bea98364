// Shows how terminals look in the seed and in 1.0: ends, claims, folders, commands that are cut off.
import { expect, test } from "vitest";
import { makeId } from "../../model/ids.ts";
import type { TerminalAction, TerminalExit, TerminalState } from "../../model/terminal/terminal.ts";
import { showAll, showState, wireActions } from "../../testing/wire/viewer.ts";
import { newStates } from "../../testing/states.ts";
import type { Dialect } from "../dialect.ts";
import { v0_1 } from "../v0_1/v0-1.ts";
import { v1_0 } from "../v1_0/v1-0.ts";

const at = "2026-01-01T00:00:00.000Z";
const terminal = newStates.terminal;
const channel = terminal.resource;

test.each<[TerminalExit, number, number | undefined]>([
  [{ kind: "code", exitCode: 3 }, 3, 3],
  [{ kind: "code", exitCode: 0 }, 0, 0],
  [{ kind: "signal", signal: "SIGKILL" }, 137, undefined],
  [{ kind: "signal", signal: "SIGTERM" }, 143, undefined],
  [{ kind: "signal", signal: "SIGWHAT" }, 128, undefined],
  [{ kind: "unknown", reason: "restart" }, -1, undefined],
])("[E7] the end %j is %s in the seed, which needs a number, and %s in 1.0", (exit, inSeed, inCurrent) => {
  const action: TerminalAction = { type: "terminal/exited", exitedAt: at, exit };
  const ended: TerminalState = { ...terminal, lifecycle: { status: "exited", exitedAt: at, exit } };
  const shown = { kind: "terminal", state: ended, content: [] } as const;

  expect(wireActionsOf(v0_1, action)).toEqual([
    { type: "terminal/exited", terminal: "agenthost:/terminal/x1", exitCode: inSeed },
  ]);
  expect(showState(v0_1, shown)).toMatchObject({ exitCode: inSeed });
  expect(wireActionsOf(v1_0, action)).toEqual([
    withoutAbsent({ type: "terminal/exited", exitCode: inCurrent }),
  ]);
  expect(showState(v1_0, shown)["lifecycle"]).toEqual(
    withoutAbsent({ status: "exited", exitCode: inCurrent }),
  );
});

test("[E7] a command that the end or the next one cuts off is finished first, without a code", () => {
  const run = (name: string): TerminalAction => ({
    type: "terminal/commandExecuted",
    commandId: makeId("command", name),
    commandLine: name,
    startedAt: at,
    offset: 0,
  });
  const end: TerminalAction = { type: "terminal/exited", exitedAt: at, exit: { kind: "code", exitCode: 0 } };
  expect(wireActionsOf(v1_0, run("a"), run("b"), end)).toEqual([
    { type: "terminal/commandExecuted", commandId: "a", commandLine: "a", timestamp: Date.parse(at) },
    { type: "terminal/commandFinished", commandId: "a" },
    { type: "terminal/commandExecuted", commandId: "b", commandLine: "b", timestamp: Date.parse(at) },
    { type: "terminal/commandFinished", commandId: "b" },
    { type: "terminal/exited", exitCode: 0 },
  ]);
});

test("[E6] a session's claim names its chat since 0.9 and not before; that a client is gone is not sent", () => {
  const claim = {
    kind: "session",
    session: makeId("session URI", "shell:/1"),
    chat: makeId("chat URI", "ahp-chat:/1"),
    turnId: makeId("turn", "t"),
  } as const;
  const { chat: _chat, ...seedClaim } = claim;
  const action: TerminalAction = { type: "terminal/claimed", claim };
  expect(wireActionsOf(v1_0, action)).toEqual([{ type: "terminal/claimed", claim }]);
  expect(wireActionsOf(v0_1, action)).toMatchObject([{ claim: seedClaim }]);
  expect(wireActionsOf(v0_1, action)).not.toMatchObject([{ claim }]);
  const gone = { kind: "client", clientId: makeId("client", "ada"), goneSince: at } as const;
  expect(wireActionsOf(v1_0, { type: "terminal/claimed", claim: gone })).toEqual([
    { type: "terminal/claimed", claim: { kind: "client", clientId: "ada" } },
  ]);
});

test("[E8] a folder is sent as a URI, in actions and in snapshots", () => {
  expect(wireActionsOf(v0_1, { type: "terminal/cwdChanged", cwd: "/a b" })).toMatchObject([
    { cwd: "file:///a%20b" },
  ]);
  const shown = { kind: "terminal", state: { ...terminal, cwd: "/a b" }, content: [] } as const;
  expect(showState(v1_0, shown)).toMatchObject({ cwd: "file:///a%20b" });
});

test("[E7] that the host drops old output is not sent", () => {
  expect(wireActionsOf(v1_0, { type: "terminal/trimmed", skippedBytes: 4 })).toEqual([]);
});

function wireActionsOf(dialect: Dialect, ...actions: readonly TerminalAction[]): readonly unknown[] {
  return wireActions(showAll(dialect, channel, { kind: "terminal", state: terminal }, actions));
}

function withoutAbsent(fields: object): unknown {
  return JSON.parse(JSON.stringify(fields));
}
