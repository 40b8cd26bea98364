// An agent of the catalogue, as clients choose from it.
import type { AgentId } from "../ids.ts";

/** An agent that the host can start. */
export interface AgentInfo {
  readonly provider: AgentId;
  readonly displayName: string;
  readonly description: string;
  /** Short names that mean this agent too. */
  readonly handles: readonly string[];
  readonly installation: AgentInstallation;
  /** Whether it speaks ACP, or can only be shown in a terminal, or cannot be started at all. */
  readonly launch: "acp" | "terminal-only" | "unsupported";
  /** Providers whose credentials the host can hand on to it. */
  readonly forwardableProviders: readonly string[];
  readonly models: readonly ModelInfo[];
  /** Where the list of models comes from, and why it is not better. */
  readonly modelSource?: "provider_api" | "fallback";
  readonly modelError?: string;
}

/** Whether an agent is there, found out and not assumed. */
export type AgentInstallation =
  | { readonly status: "installed"; readonly version?: string; readonly authReady: boolean }
  | { readonly status: "not-installed" };

/** A model that an agent can use. */
export interface ModelInfo {
  readonly id: string;
  readonly name: string;
  readonly maxContextWindow?: number;
  readonly supportsVision?: boolean;
}
