// How each agent of the catalogue is installed and signed in to: what its own documentation says.
import type { AgentEntry } from "@holdfast/core";

/** What to type; both are commands. */
interface Setup {
  readonly install: string;
  readonly signIn: string;
}

const setups: Readonly<Record<string, Setup>> = {
  "claude-cli": {
    install: "npm install -g @agentclientprotocol/claude-agent-acp @anthropic-ai/claude-code",
    signIn: "claude /login",
  },
  "codex-cli": {
    install: "npm install -g @agentclientprotocol/codex-acp @openai/codex",
    signIn: "codex login",
  },
  "gemini-cli": { install: "npm install -g @google/gemini-cli", signIn: "gemini" },
  "qwen-cli": { install: "npm install -g @qwen-code/qwen-code", signIn: "qwen" },
  "copilot-cli": { install: "npm install -g @github/copilot", signIn: "copilot login" },
  "opencode-cli": { install: "npm install -g opencode-ai", signIn: "opencode auth login" },
  "kimi-cli": { install: "npm install -g @moonshot-ai/kimi-code", signIn: "kimi login" },
};

/** The command that installs an agent; undefined for one that Holdfast does not know. */
export function installAgent({ id }: AgentEntry): string | undefined {
  return setups[id]?.install;
}

/** How to sign in to an agent: its own command, or a variable that the host is started with. */
export function signInCure({ id, auth }: AgentEntry): {
  remedy?: string | undefined;
  command?: string | undefined;
} {
  const names = auth?.env ?? [];
  const remedy =
    names.length === 0
      ? undefined
      : `Sign in to it, or start the host with ${names.join(" or ")} in its environment.`;
  return { remedy, command: setups[id]?.signIn };
}
