// The catalogue's form, and the data file that the host ships.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readCatalogue } from "./catalogue.ts";
import type { Catalogue, CatalogueAgent } from "./catalogue.ts";

function shipped(): Catalogue {
  const file = new URL("../../core/src/agent/catalogue.json", import.meta.url);
  const read = readCatalogue(JSON.parse(readFileSync(file, "utf8")));
  if (!read.ok) throw new Error(JSON.stringify(read.problems, undefined, 2));
  return read.value;
}

function shippedAgent(id: string): CatalogueAgent {
  const agent = shipped().agents.find((each) => each.id === id);
  if (agent === undefined) throw new Error(`${id} is not in the catalogue`);
  return agent;
}

function problems(agents: unknown[]): string[] {
  const read = readCatalogue({ agents });
  return read.ok ? [] : read.problems.map(({ path, message }) => `${path} ${message}`);
}

const plain = { id: "a-cli", handles: ["a"], label: "A", launch: { command: "a" } };

describe("catalogue", () => {
  it("[P30] an agent needs id, handle, label and command; the rest is filled in", () => {
    expect(readCatalogue({ agents: [plain] })).toEqual({
      ok: true,
      value: {
        agents: [
          {
            ...plain,
            builtIn: false,
            launch: { command: "a", args: [], env: {} },
            alternatives: [],
            keepSecrets: [],
            model: [],
            forwarding: {},
            quirks: [],
            commandEnvironment: {},
            throughHost: [],
            asks: true,
            askModes: [],
          },
        ],
      },
    });
  });

  it.each([
    [{ handles: [] }, "agents[0].handles must not be empty"],
    [
      { launch: { command: "a", cwd: "/" } },
      'agents[0].launch has no member "cwd"; it has: command, args, env',
    ],
    [{ model: [{ by: "magic" }] }, "agents[0].model[0].by is none of the known kinds"],
    [{ model: [{ by: "flag" }] }, "agents[0].model[0].flag is required"],
    [
      { forwarding: { openai: { env: [{ name: "A_KEY" }] } } },
      "agents[0].forwarding.openai.env[0] must say where its value is from, or what it falls back to",
    ],
  ])("[P30] a wrong entry is named by its path: case %#", (members, problem) => {
    expect(problems([{ ...plain, ...members }])).toEqual([problem]);
  });

  it("[P30] a quirk that the host does not know is refused", () => {
    expect(problems([{ ...plain, quirks: ["slow"] }])).toEqual([
      expect.stringMatching(/^agents\[0\]\.quirks\[0\] must be one of "missing-file-reads-as-empty"/),
    ]);
  });

  it("[P30] no name means two agents", () => {
    const twin = { ...plain, id: "b-cli", handles: ["b", "a"] };
    expect(problems([plain, twin])).toEqual(["agents[1] has the name a, which is already a-cli's"]);
  });

  it("[P31] the host ships these agents, each under its short name first", () => {
    expect(
      shipped().agents.map(({ id, handles, launch }) => [id, handles[0], [launch.command, ...launch.args]]),
    ).toEqual([
      ["shell", "shell", ["agent-shell"]],
      ["claude-cli", "claude", ["claude-agent-acp"]],
      ["codex-cli", "codex", ["codex-acp"]],
      ["gemini-cli", "gemini", ["gemini", "--acp"]],
      ["qwen-cli", "qwen", ["qwen", "--acp"]],
      ["copilot-cli", "copilot", ["copilot", "--acp"]],
      ["opencode-cli", "opencode", ["opencode", "acp"]],
      ["kimi-cli", "kimi", ["kimi", "acp"]],
    ]);
  });

  it("[P31] only the shell is built in, and nothing is downloaded to start the others", () => {
    const agents = shipped().agents;
    expect(agents.filter(({ builtIn }) => builtIn).map(({ id }) => id)).toEqual(["shell"]);
    const commands = agents.flatMap(({ launch, alternatives }) => alternatives.concat(launch));
    expect(commands.filter(({ command }) => ["npx", "uvx", "bunx", "sh"].includes(command))).toEqual([]);
  });

  it("[P32] qwen takes the four providers, and a key never goes to another provider's address", () => {
    const { forwarding } = shippedAgent("qwen-cli");
    expect(Object.keys(forwarding)).toEqual(["openai", "anthropic", "gemini", "realtimexai"]);
    expect(forwarding["realtimexai"]).toEqual({
      args: ["--auth-type", "openai"],
      env: [
        { name: "OPENAI_API_KEY", from: ["REALTIMEX_AI_API_KEY"], required: true },
        {
          name: "OPENAI_BASE_URL",
          from: ["REALTIMEX_AI_BASE_PATH"],
          required: false,
          fallback: "https://realtimexai-llm-provider.realtimex.ai",
        },
      ],
    });
  });
});
