// The agents that a host knows: its catalogue, and the user's own.
import { readConfig } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { AgentEntries } from "./agent-entry.ts";

const shell = { command: "/usr/bin/node", args: ["/shell.js"], version: "1.2.3" };

function entries(agents: object = {}): AgentEntries {
  const config = readConfig({ agents });
  if (!config.ok) throw new Error(JSON.stringify(config.problems));
  return new AgentEntries(config.value, shell);
}

test("[N30] the catalogue has the agents of the first version, by id and by handle", () => {
  const expected = [
    "shell shell",
    "claude-cli claude",
    "codex-cli codex",
    "gemini-cli gemini",
    "qwen-cli qwen",
    "copilot-cli copilot",
    "opencode-cli opencode",
    "kimi-cli kimi",
  ];
  expect(entries().all.map(({ id, handles }) => `${id} ${handles[0]}`)).toEqual(expected);
  for (const [id, handle] of expected.map((line) => line.split(" "))) {
    expect(entries().find(handle ?? "").id).toBe(id);
  }
});

test("[N30] the built-in agent is started by the program that the host was given", () => {
  expect(entries().find("shell").launch).toMatchObject({ command: "/usr/bin/node", args: ["/shell.js"] });
});

test("[N30] an agent of the user's own is found by its name, before one of the catalogue", () => {
  const own = { command: "/bin/mine", args: ["--acp"], env: { A: "1" }, cwd: "/tmp" };
  const { all, find } = entriesOf({ mine: own, gemini: own, "codex-cli": own });
  expect(find("mine")).toMatchObject({
    handles: ["mine"],
    label: "mine",
    cwd: "/tmp",
    launch: { command: "/bin/mine", args: ["--acp"], env: { A: "1" } },
  });
  expect(find("gemini").launch.command).toBe("/bin/mine");
  expect(find("codex-cli").launch.command).toBe("/bin/mine");
  expect(all.filter(({ id }) => id === "codex-cli")).toHaveLength(1);
});

test("[N4] a name that nobody has is ACP_UNKNOWN_AGENT, in exactly these words", () => {
  expect(() => entries().find("nobody")).toThrow(
    expect.objectContaining({
      code: "ACP_UNKNOWN_AGENT",
      status: 404,
      message: "No ACP provider found for agent 'nobody'.",
    }) as Error,
  );
});

function entriesOf(agents: object) {
  const made = entries(agents);
  return { all: made.all, find: made.find.bind(made) };
}
