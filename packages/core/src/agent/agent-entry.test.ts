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

test("[N30] an own entry with a new name comes after the catalogue, and has what it says", () => {
  const traits = {
    versionProbe: { args: ["-v"] },
    auth: { env: ["MINE_KEY"], files: ["~/.mine"] },
    keepSecrets: ["OPENAI_API_KEY"],
    model: [{ by: "flag", flag: "-m" }],
    forwarding: {
      openai: { args: [], env: [{ name: "MINE_KEY", from: ["OPENAI_API_KEY"], required: true }] },
    },
    quirks: ["needs-terminals"],
  };
  const own = {
    command: "/bin/mine",
    args: ["--acp"],
    env: { A: "1" },
    cwd: "/tmp",
    handles: ["me"],
    ...traits,
  };
  const { all, find } = entriesOf({ mine: own });
  expect(all.at(-1)).toBe(find("mine"));
  expect(find("me")).toMatchObject({
    id: "mine",
    handles: ["mine", "me"],
    label: "mine",
    isOwn: true,
    cwd: "/tmp",
    launch: { command: "/bin/mine", args: ["--acp"], env: { A: "1" } },
    ...traits,
  });
});

test.each(["claude", "claude-code", "claude-cli"])(
  "[N282] an own entry under the name %s changes that agent, which keeps its id, names, key and place",
  (name) => {
    const { all, find } = entriesOf({ [name]: { command: "/opt/claude", env: { A: "1" } } });
    const expected = entries().find("claude");
    expect(all.map(({ id }) => id)).toEqual(entries().all.map(({ id }) => id));
    const { launch, alternatives, isOwn, ...others } = find("claude");
    expect({ launch, alternatives, isOwn }).toEqual({
      launch: { command: "/opt/claude", args: [], env: { A: "1" } },
      alternatives: [],
      isOwn: true,
    });
    expect(others).toEqual({ ...others, ...pick(expected, Object.keys(others)) });
    for (const each of expected.handles) expect(find(each)).toBe(find("claude-cli"));
  },
);

test("[N282] arguments that are left out are the agent's own, so that a path is enough", () => {
  const { find } = entriesOf({
    gemini: { command: "/opt/gemini" },
    copilot: { label: "Pilot", env: { B: "2" } },
  });
  expect(find("gemini").launch).toEqual({ command: "/opt/gemini", args: ["--acp"], env: {} });
  expect(find("copilot-cli")).toMatchObject({
    label: "Pilot",
    launch: { command: "copilot", args: ["--acp"], env: { COPILOT_AUTO_UPDATE: "false", B: "2" } },
  });
});

test("[N282] an entry that extends an agent is another one like it", () => {
  const { all, find } = entriesOf({
    work: { extends: "claude", command: "/opt/claude", handles: ["codex"], quirks: ["needs-terminals"] },
  });
  const base = find("claude");
  expect(find("work")).toMatchObject({
    id: "work",
    handles: ["work", "codex"],
    label: "Claude Code (work)",
    catalogueId: "claude-cli",
    auth: base.auth,
    model: base.model,
    forwarding: base.forwarding,
    quirks: ["needs-terminals"],
    launch: { command: "/opt/claude", args: [] },
  });
  // A handle that the user gives away is given away in the list too.
  expect(find("codex").id).toBe("work");
  expect(find("codex-cli").handles).toEqual([]);
  const names = all.flatMap(({ id, handles }) => [...new Set([id, ...handles])]);
  expect(new Set(names).size).toBe(names.length);
});

test("[N860] an agent's id is no other agent's handle, in lists and look-ups", () => {
  const { all, find, lookUp } = entriesOf({
    claude: { command: "/opt/claude" },
    second: { command: "/bin/second", handles: ["claude-cli", "claude-code"] },
    third: { command: "/bin/third", handles: ["codex-cli", "codex"] },
  });
  for (const id of ["claude-cli", "codex-cli", "second", "third"]) expect(lookUp(id)?.id).toBe(id);
  expect(lookUp("claude-code")?.id).toBe("claude-cli");
  expect(lookUp("codex")?.id).toBe("third");
  expect(lookUp("nobody")).toBeUndefined();
  expect(find("second").handles).toEqual(["second"]);
  expect(find("third").handles).toEqual(["third", "codex"]);
  const names = all.flatMap(({ id, handles }) => [...new Set([id, ...handles])]);
  expect(new Set(names).size).toBe(names.length);
});

test("[N282] an entry that cannot be used is named by its place", () => {
  const attempt =
    (agents: object): (() => unknown) =>
    () =>
      entries(agents);
  expect(attempt({ mine: {} })).toThrow(
    "agents.mine.command is required, unless the agent extends one of the catalogue.",
  );
  expect(attempt({ mine: { extends: "nobody" } })).toThrow(
    "agents.mine.extends names nobody, which is not in the catalogue. It has: shell, claude-cli,",
  );
  expect(attempt({ claude: { cwd: "/" }, "claude-cli": { cwd: "/" } })).toThrow(
    "agents.claude and agents.claude-cli both change Claude Code. Keep one of them.",
  );
  expect(attempt({ one: { command: "a", handles: ["x"] }, two: { command: "b", handles: ["x"] } })).toThrow(
    "has the handle x, which is already one's",
  );
});

test("[N282] a kept session finds its agent by a name that it has now", () => {
  const made = entries({ claude: { command: "/opt/claude" } });
  expect(made.findKept("claude-cli").launch.command).toBe("/opt/claude");
  expect(made.findKept("claude").launch.command).toBe("/opt/claude");
  expect(made.findKept("gone")).toMatchObject({ id: "gone", handles: ["gone"] });
});

test("[N4] an unknown name is ACP_UNKNOWN_AGENT, with exactly this message", () => {
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
  return { all: made.all, find: made.find.bind(made), lookUp: made.lookUp.bind(made) };
}

function pick(value: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}
