// Settings of a session that its creator chooses: the host's own, the agent's, and those of an editor that expects another host.
import {
  APPROVAL_POLICIES,
  type ApprovalPolicy,
  ISOLATION_LEVELS,
  type JsonObject,
  type JsonValue,
  type SessionLimits,
} from "@holdfast/ahp";
import { problemSentence, readExtras, readSessionLimits } from "@holdfast/protocol";
import type { AhpPort } from "../host-port.ts";
import { invalidParams } from "./rpc-error.ts";

interface ConfigSchema {
  readonly type: "object";
  readonly properties: {
    readonly [name: string]: {
      readonly type: "string" | "array";
      readonly title: string;
      readonly default?: string;
      readonly uniqueItems?: true;
      readonly enum?: readonly string[];
      readonly items?: { readonly type: "string"; readonly enum: readonly string[] };
    };
  };
}

/** The schema of the choice: a policy, a level of isolation, and MCP servers where there are any. */
export function sessionConfigSchema({ mcpServers, isolation }: AhpPort["sessions"]): ConfigSchema {
  const items = { type: "string", enum: mcpServers } as const;
  return {
    type: "object",
    properties: {
      approvalPolicy: { type: "string", title: "Approvals", enum: APPROVAL_POLICIES },
      isolation: { type: "string", title: "Isolation", enum: isolation.choices, default: isolation.level },
      ...(mcpServers.length > 0 && {
        mcpServers: { type: "array", title: "MCP servers", items, uniqueItems: true },
      }),
    },
  };
}

export function configValues({ properties }: ConfigSchema, name: string): readonly string[] {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (property === undefined) throw invalidParams(`property: there is no setting ${JSON.stringify(name)}`);
  return property.enum ?? property.items?.enum ?? [];
}

/** The values that the schema has; those of the agent are known when it has started (E831). */
export function resolvedValues({ properties }: ConfigSchema, config?: JsonObject): object {
  const { options } = readSessionConfig(config);
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(properties, name)));
}

interface SessionConfig {
  /** Options as the app API has them. */
  readonly options: {
    readonly approvalPolicy?: ApprovalPolicy;
    readonly limits?: SessionLimits;
    readonly isolation?: (typeof ISOLATION_LEVELS)[number];
    /** By their names in the configuration. */
    readonly mcpServers?: string[];
    readonly runtimeMode?: string;
    readonly extras?: Record<string, string>;
  };
  /** Settings that the agent gets only if it offers them. */
  readonly preferences: Readonly<Record<string, string>>;
}

/** The name that stands for the agent's mode, as in a session's state. */
const MODE = "mode";

/**
 * Settings of VS Code's own host, which VS Code sends for sessions of any host. An agent gets the ones that it offers;
 * the others are no mistake.
 */
const vscodeSettings: ReadonlySet<string> = new Set([
  "autoApprove",
  "branch",
  "codex.permissionsPreset",
  "permissionMode",
  "permissions",
  "sandboxEnabled",
  "shellInitScripts",
  "worktreeBranchPrefix",
  "worktreeBranchTrack",
  "worktreeCreateNewBranch",
  "worktreeIncludeFiles",
]);
const vscodeModes: ReadonlySet<JsonValue> = new Set(["interactive", "plan", "autopilot"]);
/** VS Code's own `isolation` is a folder or a worktree; a folder is what every session has (E802). */
const IN_FOLDER = "folder";

/** Reads the choice. The agent's settings are checked when it has started, since only then it says what it offers (E830). */
export function readSessionConfig(config: JsonObject = {}): SessionConfig {
  const { approvalPolicy, limits, mcpServers, isolation, ...others } = config;
  const settings = Object.entries(others);
  const { [MODE]: runtimeMode, ...extras } = readSettings(settings.filter((each) => !isOfVscode(each)));
  const preferences = settings.flatMap(([name, value]) =>
    isOfVscode([name, value]) && isSetting(value) ? [[name, String(value)] as const] : [],
  );
  return {
    options: {
      ...(isolation !== undefined && isolation !== IN_FOLDER && { isolation: readLevel(isolation) }),
      ...(limits !== undefined && { limits: readLimits(limits) }),
      ...(approvalPolicy !== undefined && { approvalPolicy: readPolicy(approvalPolicy) }),
      ...(mcpServers !== undefined && { mcpServers: readNames(mcpServers) }),
      ...(runtimeMode !== undefined && { runtimeMode }),
      ...(Object.keys(extras).length > 0 && { extras }),
    },
    preferences: Object.fromEntries(preferences),
  };
}

function isOfVscode([name, value]: readonly [string, JsonValue]): boolean {
  return name === MODE ? vscodeModes.has(value) : vscodeSettings.has(name);
}

function isSetting(value: JsonValue): value is string | boolean {
  return typeof value === "string" || typeof value === "boolean";
}

/** Settings by their names, with the values as texts. */
function readSettings(settings: readonly (readonly [string, JsonValue])[]): Record<string, string> {
  const written = settings.map(([name, value]) => [name, isSetting(value) ? String(value) : value]);
  const checked = readExtras(Object.fromEntries(written));
  if (checked.ok) return checked.value;
  throw invalidParams(checked.problems.map((problem) => `config.${problemSentence(problem, "")}`).join("; "));
}

function readPolicy(value: JsonValue): ApprovalPolicy {
  const policy = APPROVAL_POLICIES.find((known) => known === value);
  if (policy !== undefined) return policy;
  throw invalidParams(`config.approvalPolicy: expected one of ${APPROVAL_POLICIES.join(", ")}`);
}

function readLevel(value: JsonValue): (typeof ISOLATION_LEVELS)[number] {
  const level = ISOLATION_LEVELS.find((known) => known === value);
  if (level !== undefined) return level;
  throw invalidParams(`config.isolation: expected one of ${ISOLATION_LEVELS.join(", ")}`);
}

function readLimits(value: JsonValue): SessionLimits {
  const checked = readSessionLimits(value);
  if (checked.ok) return checked.value;
  throw invalidParams(
    checked.problems.map((problem) => problemSentence(problem, "config.limits")).join("; "),
  );
}

function readNames(value: JsonValue): string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return [...value];
  throw invalidParams("config.mcpServers: expected a list of names");
}
