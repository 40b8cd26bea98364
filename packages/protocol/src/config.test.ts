// The configuration: defaults, strictness, and the schema that editors read.
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { configJsonSchema, readConfig } from "./config.ts";
import { problemSentence } from "./schema.ts";

const schemaFile = new URL("../config.schema.json", import.meta.url);

function sentences(value: unknown): string[] {
  const read = readConfig(value);
  return read.ok ? [] : read.problems.map((problem) => problemSentence(problem, "The configuration"));
}

describe("configuration", () => {
  it("[P27] an empty file is a whole configuration", () => {
    expect(readConfig({})).toEqual({
      ok: true,
      value: {
        agents: {},
        mcpServers: {},
        defaults: { agent: "shell" },
        maxSessions: 64,
        acp: { enabled: true, idleSeconds: 300, turnTextMebibytes: 8, commandRun: "text" },
        isolation: {
          level: "guard",
          require: false,
          writable: [],
          visible: [],
          hidden: [],
          keepSecrets: [],
        },
        apps: { enabled: false, anyUser: false },
        security: { agentsMayUseApi: [] },
        retention: { maxAgeDays: 90, maxMebibytes: 4096, auditDays: 365 },
        keeper: { enabled: true, awayMebibytes: 64 },
        limits: { command: {}, agent: {}, session: {}, key: {}, host: {} },
        listen: { host: "127.0.0.1", port: 4747 },
      },
    });
  });

  it("[P660] a preset sets limits of commands, and values in the file replace its own", () => {
    const limits = { preset: "short-commands", command: { outputMebibytes: 50, processes: 8 } };
    const read = readConfig({ limits });
    expect(read.ok && read.value.limits).toEqual({
      command: { wallClockSeconds: 300, outputMebibytes: 50, processes: 8 },
      agent: {},
      session: {},
      key: {},
      host: {},
    });
  });

  it.each([
    [{ command: { memoryBytes: 1 } }, 'limits.command has no member "memoryBytes"'],
    [{ session: { wallClockSeconds: 1 } }, 'limits.session has no member "wallClockSeconds"'],
    [{ host: { processes: 0 } }, "limits.host.processes must be at least 1"],
    [{ command: { cpuCores: -1 } }, "limits.command.cpuCores must be at least 0.01"],
    [{ preset: "long-commands" }, 'limits.preset must be one of "short-commands"'],
  ])("[P660] limits %j are refused", (limits, sentence) => {
    expect(sentences({ limits }).join()).toContain(sentence);
  });

  it("[P27] every setting is taken, and what an agent leaves out is filled in", () => {
    const config = {
      $schema: "./config.schema.json",
      agents: {
        mine: { command: "my-agent", args: ["--acp"], env: { MY_KEY: "k" }, cwd: "/opt/mine", label: "Mine" },
        small: { command: "small" },
      },
      mcpServers: {
        files: { command: "mcp-files", args: ["-r"], env: { A: "1" }, transport: "http", headers: {} },
        web: { url: "https://a.example/mcp", transport: "sse", headers: { x: "y" }, args: [], env: {} },
      },
      defaults: {
        agent: "mine",
        cwd: "/work",
        approvalPolicy: "approve-reads",
        timeoutSeconds: 600,
        model: "m1",
        runtimeMode: "plan",
      },
      allowedAgents: ["mine", "claude"],
      policy: "rules.jsonc",
      maxSessions: 3,
      acp: {
        enabled: false,
        idleSeconds: 1.5,
        turnTextMebibytes: 0.5,
        commandRun: "tty",
        commandRunOf: { shell: "text" },
      },
      isolation: {
        level: "workspace",
        require: true,
        writable: ["/srv/cache"],
        visible: ["/home/me/.ssh"],
        hidden: ["/srv/secret"],
        keepSecrets: ["GITHUB_TOKEN"],
      },
      apps: { enabled: true, anyUser: true },
      security: { agentsMayUseApi: ["claude"] },
      limits: {
        command: { cpuCores: 0.5 },
        agent: { cpuSeconds: 60 },
        session: {},
        key: {},
        host: { openTerminals: 9 },
      },
      retention: { maxAgeDays: 7, maxMebibytes: 64, auditDays: 30 },
      keeper: { enabled: false, awayMebibytes: 8 },
      listen: { host: "::1", port: 0, allowRemote: true, allowedHosts: ["box.example", "fd00::7"] },
    };
    expect(readConfig(config)).toEqual({
      ok: true,
      value: { ...config, agents: { ...config.agents, small: { command: "small", env: {} } } },
    });
  });

  it.each([
    [[], "The configuration must be an object, not an array"],
    [
      { agnets: {} },
      'The configuration has no member "agnets"; it has: agents, mcpServers, defaults, allowedAgents, policy, maxSessions, acp, isolation, apps, security, retention, keeper, limits, listen',
    ],
    [{ agents: { mine: { extends: 1 } } }, "agents.mine.extends must be a string, not a number"],
    [
      { agents: { mine: { modelName: "(a" } } },
      "agents.mine.modelName must be a regular expression with one group",
    ],
    [
      { agents: { mine: { handles: ["a"] }, other: { handles: ["mine"] } } },
      "agents.other has the handle mine, which is already mine's",
    ],
    [{ agents: { mine: { command: "" } } }, "agents.mine.command must not be empty"],
    [{ agents: { mine: { command: "a", args: [1] } } }, "agents.mine.args[0] must be a string, not a number"],
    [{ agents: { mine: { command: "a", args: "-v" } } }, "agents.mine.args must be an array, not a string"],
    [{ agents: { mine: { command: "a", cwd: "here" } } }, "agents.mine.cwd must be an absolute path"],
    [
      { agents: { mine: { command: "a", env: { "A=B": "" } } } },
      "agents.mine.env.A=B is not a valid name: it must be the name of an environment variable",
    ],
    [
      { agents: { mine: { command: "a", env: { A: null } } } },
      "agents.mine.env.A must be a string, not null",
    ],
    [
      { agents: { mine: { command: "a", shell: true } } },
      'agents.mine has no member "shell"; it has: extends, command, args, env, cwd, label, handles, alternatives, versionProbe, auth, keepSecrets, model, modelName, forwarding, quirks, commandEnvironment, throughHost, asks, askModes',
    ],
    [{ defaults: { timeoutSeconds: 0 } }, "defaults.timeoutSeconds must be at least 1"],
    [{ mcpServers: { a: {} } }, "mcpServers.a must have either a command or a url"],
    [{ maxSessions: 0 }, "maxSessions must be at least 1"],
    [{ acp: true }, "acp must be an object, not a boolean"],
    [{ acp: { enabled: "yes" } }, "acp.enabled must be a boolean, not a string"],
    [{ acp: { idleSeconds: 0 } }, "acp.idleSeconds must be at least 0.01"],
    [{ retention: { maxAgeDays: 0 } }, "retention.maxAgeDays must be at least 1"],
    [{ listen: { port: 65_536 } }, "listen.port must be at most 65535"],
    [
      { listen: { prot: 1 } },
      'listen has no member "prot"; it has: host, port, allowRemote, allowedHosts, allowedOrigins',
    ],
    [
      { listen: { allowedOrigins: ["https://app.example/"] } },
      "listen.allowedOrigins[0] must be an origin, such as https://app.example, without a path",
    ],
    [
      { listen: { allowedHosts: ["a:80"] } },
      "listen.allowedHosts[0] must be a host name or an address, without a port",
    ],
  ])("[P28] a wrong setting is named by its path: case %#", (config, sentence) => {
    expect(sentences(config)).toEqual([sentence]);
  });

  it("[P28] an agent's id that would break session keys is refused", () => {
    expect(sentences({ agents: { "my:agent": { command: "a" } } })).toEqual([
      expect.stringMatching(/^agents\.my:agent is not a valid name: it must start with a letter or digit/),
    ]);
  });

  it("[P28] all errors are reported at once", () => {
    expect(sentences({ maxSessions: "many", acp: { enabled: 1 } })).toHaveLength(2);
  });

  it("[P29] the schema for editors names every setting, with none required", () => {
    const { properties = {}, required, additionalProperties } = configJsonSchema();
    expect(Object.keys(properties)).toEqual([
      "$schema",
      "agents",
      "mcpServers",
      "defaults",
      "allowedAgents",
      "policy",
      "maxSessions",
      "acp",
      "isolation",
      "apps",
      "security",
      "retention",
      "keeper",
      "limits",
      "listen",
    ]);
    expect(required).toBeUndefined();
    expect(additionalProperties).toBe(false);
  });

  it("[P29] config.schema.json is up to date; HOLDFAST_WRITE_SCHEMA=1 on this test regenerates it", () => {
    if (process.env["HOLDFAST_WRITE_SCHEMA"] === "1") {
      writeFileSync(schemaFile, `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
    }
    expect(JSON.parse(readFileSync(schemaFile, "utf8"))).toEqual(
      JSON.parse(JSON.stringify(configJsonSchema())),
    );
  });
});
