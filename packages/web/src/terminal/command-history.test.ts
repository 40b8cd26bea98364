// Commands as the host reports them.
import { makeId, type TerminalAction } from "@holdfast/ahp";
import { describe, expect, it } from "vitest";
import { commandsOf, listedCommands, withAction, type ShellCommand } from "./command-history.ts";

const at = "2026-01-01T00:00:00.000Z";
const id = (text: string): ShellCommand["commandId"] => makeId("command", text);

function began(name: string): TerminalAction {
  return {
    type: "terminal/commandExecuted",
    commandId: id(name),
    commandLine: name,
    startedAt: at,
    offset: 0,
  };
}

function after(actions: readonly TerminalAction[]): readonly ShellCommand[] {
  return actions.reduce<readonly ShellCommand[]>((commands, action) => withAction(commands, action), []);
}

describe("[Z15] commands of a shell", () => {
  it("[Z15] are not listed where the only one is the terminal's title", () => {
    const one = after([began("make all")]);
    expect(listedCommands(one, "make all")).toEqual([]);
    expect(listedCommands(one, "zsh")).toBe(one);
    expect(listedCommands(after([began("ls"), began("make")]), "ls")).toHaveLength(2);
  });

  it("[Z15] are listed with their code and their time, the running one without", () => {
    const finished: TerminalAction = {
      type: "terminal/commandFinished",
      commandId: id("ls"),
      exitCode: 2,
      durationMs: 12,
    };
    expect(after([began("ls"), finished, began("make")])).toEqual([
      { commandId: "ls", commandLine: "ls", end: { exitCode: 2, durationMs: 12 } },
      { commandId: "make", commandLine: "make" },
    ]);
  });

  it("[Z15] end with the next one and with the shell", () => {
    const exited: TerminalAction = {
      type: "terminal/exited",
      exitedAt: at,
      exit: { kind: "code", exitCode: 0 },
    };
    expect(after([began("a"), began("b"), exited]).map(({ end }) => end)).toEqual([{}, {}]);
  });

  it("[Z15] are found in what a terminal showed before, and only the last are kept", () => {
    const parts = Array.from({ length: 80 }, (_, index) => ({
      kind: "command" as const,
      commandId: id(`c${index}`),
      commandLine: `c${index}`,
      text: "",
      startedAt: at,
      end: { exitCode: 0 },
    }));
    const commands = commandsOf([{ kind: "output", text: "$ " }, ...parts]);
    expect(commands).toHaveLength(50);
    expect(commands.at(-1)).toEqual({ commandId: "c79", commandLine: "c79", end: { exitCode: 0 } });
  });
});
