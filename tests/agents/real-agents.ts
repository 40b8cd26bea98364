// The real agents of these tests, and how each is pointed at the scripted model and at nothing else.
import process from "node:process";
import { agentPackages, claudeProgram, openCodeProgram } from "./installation.ts";

/** An agent as the scenarios know it. */
export interface RealAgent {
  /** Its handle in the catalogue, whose entry it changes. */
  readonly handle: "claude" | "opencode";
  readonly title: string;
  /** Whether the host runs its commands, or the agent does and reports them. */
  readonly runsCommands: "host" | "agent";
  /** Addresses that it tries to reach although everything is switched off that can be. */
  readonly knownAddresses: readonly string[];
  /** Its entry in the configuration of a host. */
  entry(modelUrl: string): AgentEntry;
}

interface AgentEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const claude: RealAgent = {
  handle: "claude",
  title: `claude-code-acp ${agentPackages["@zed-industries/claude-code-acp"]}`,
  runsCommands: "host",
  knownAddresses: ["api.anthropic.com:443"],
  entry: (modelUrl) => ({
    command: process.execPath,
    args: [claudeProgram()],
    env: {
      ...onlyThrough(modelUrl),
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: "scripted",
      // As root it rejects sessions without this.
      IS_SANDBOX: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_TELEMETRY: "1",
    },
  }),
};

const openCode: RealAgent = {
  handle: "opencode",
  title: `opencode ${agentPackages["opencode-ai"]}`,
  runsCommands: "agent",
  knownAddresses: ["registry.npmjs.org:443"],
  entry: (modelUrl) => ({
    command: openCodeProgram(),
    args: ["acp"],
    env: {
      ...onlyThrough(modelUrl),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(openCodeConfig(modelUrl)),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      // No plugins, which it would install from the registry.
      OPENCODE_PURE: "1",
    },
  }),
};

/** Every agent that the scenarios run with. */
export const realAgents: readonly RealAgent[] = [claude, openCode];

function openCodeConfig(modelUrl: string): object {
  return {
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL: `${modelUrl}/v1`, apiKey: "scripted" },
        models: {
          scripted: { name: "Scripted", tool_call: true, limit: { context: 100_000, output: 8_000 } },
        },
      },
    },
    permission: { edit: "ask", bash: "ask" },
    autoupdate: false,
    share: "disabled",
  };
}

/** A proxy for every other address: the model, which answers 403 and keeps the address. */
function onlyThrough(modelUrl: string): Record<string, string> {
  const local = "127.0.0.1,localhost";
  const names = { HTTP_PROXY: modelUrl, HTTPS_PROXY: modelUrl, NO_PROXY: local };
  const lowerCase = Object.entries(names).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { ...names, ...Object.fromEntries(lowerCase) };
}
