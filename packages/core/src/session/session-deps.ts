// Dependencies that all sessions of a host share.
import type { SessionUri } from "@holdfast/ahp";
import type { ProcessPort } from "@holdfast/terminal/port";
import type { AgentEntry } from "../agent/agent-entry.ts";
import type { FolderOwner } from "../agent/agent-folders.ts";
import type { KnownModels } from "../agent/known-models.ts";
import type { McpServers } from "../agent/mcp-servers.ts";
import type { Installations } from "../agent/installations.ts";
import type { Environment } from "../agent/provider-forwarding.ts";
import type { Redact } from "../agent/agent-output.ts";
import type { Approvals } from "../approval/approvals.ts";
import type { PermissionRules } from "../approval/permission-rules.ts";
import type { InputRequests } from "../approval/input-requests.ts";
import type { Audit } from "../audit/audit.ts";
import type { ChangeListeners } from "../changes/change-listeners.ts";
import type { Hub } from "../channel/hub.ts";
import type { ClientToolLeases } from "../editor/client-tools.ts";
import type { Editors } from "../editor/editors.ts";
import type { HostWatchers } from "../host-watchers.ts";
import type { HostLimits } from "../limit/host-limits.ts";
import type { PolicySource } from "../policy/host-policy.ts";
import type { Isolation } from "../isolation/isolation.ts";
import type { Timeouts } from "../timeouts.ts";
import type { Storage } from "../ports.ts";
import type { HostSearch } from "../search/host-search.ts";
import type { HostTerminals } from "../terminal/host-terminals.ts";
import type { ProcessOwners } from "../terminal/process-owners.ts";
import type { Rights } from "./rights.ts";

/** A line for the host's log. */
export type Log = (
  level: "info" | "warn" | "error",
  message: string,
  facts?: Readonly<Record<string, unknown>>,
) => void;

/** The host's own parts, as a session uses them. */
export interface SessionDeps {
  readonly hub: Hub;
  readonly storage: Storage;
  readonly search: HostSearch;
  readonly watchers: HostWatchers;
  readonly processPort: ProcessPort;
  readonly installations: Installations;
  readonly mcpServers: McpServers;
  readonly models: KnownModels;
  readonly approvals: Approvals;
  readonly inputs: InputRequests;
  readonly rules: PermissionRules;
  readonly audit: Audit;
  readonly limits: HostLimits;
  readonly rights: Rights;
  readonly terminals: HostTerminals;
  readonly owners: ProcessOwners;
  readonly isolation: Isolation;
  readonly editors: Editors;
  readonly clientTools: ClientToolLeases;
  readonly log: Log;
  readonly timeouts: Timeouts;
  /** The host's version, as agents receive it. */
  readonly clientVersion: string;
  /** The rules of the policy file; without them, approval policies decide alone. */
  readonly policy?: PolicySource | undefined;
  /** Whether runs may outlive this host, so that the next one continues them. */
  readonly keepsRuns: boolean;
  readonly now: () => Date;
  /** How much text of a running turn its state may hold. */
  readonly turnTextBytes: number;
  /** How an agent's commands run when it does not ask for a pseudo-terminal itself. */
  commandRunOf(entry: AgentEntry): "text" | "tty";
  /** The model of sessions that name none. */
  readonly defaultModel?: string | undefined;
  /** Where a provider's credentials are read from; the host's own process if absent. */
  readonly hostEnvironment?: Environment | undefined;
  /** Learns the secrets that are handed to an agent, so that they are never shown. */
  readonly onSecrets?: ((values: readonly string[]) => void) | undefined;
  /** Takes secrets out of what an agent says when it fails. */
  readonly redact?: Redact | undefined;
  /** Variables that an agent gets from the host itself, in a session or for a trial. */
  agentVariables(entry: AgentEntry, session?: FolderOwner): Readonly<Record<string, string>>;
  /** The folder that holds one for the snapshots of each session. */
  readonly changesFolder: string;
  readonly changeListeners: ChangeListeners;
  /** Folders of the host in which the agent of a session, or of a trial, keeps its own files. */
  agentFolders(entry: AgentEntry, session?: FolderOwner): readonly string[];
  /** Removes them when the session is deleted. */
  readonly removeAgentFolders: (session: SessionUri) => Promise<void>;
}
