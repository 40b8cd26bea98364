// Options that set the ceiling of a key or an app, and the words that show one.
import path from "node:path";
import { APPROVAL_POLICIES } from "@holdfast/ahp";
import type { Ceiling, WantedCeiling } from "@holdfast/sdk";
import { type Command, Option } from "commander";
import { type GivenLimits, limitOptions, readLimit, toKeyLimits } from "./limit-option.ts";
import { safeText } from "../safe-text.ts";

export interface CeilingOptions {
  readonly policy?: Ceiling["policy"];
  readonly root?: readonly string[];
  readonly agents?: readonly string[];
  readonly limit?: GivenLimits;
}

export function addCeilingOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--policy <policy>",
        "strongest approval policy of its sessions (default: approve-reads)",
      ).choices(APPROVAL_POLICIES),
    )
    .option(
      "--root <folder>",
      "folder that its sessions must be in; may be repeated (default: any but the host's own)",
      (folder: string, before: readonly string[] | undefined) => [...(before ?? []), folder],
    )
    .option(
      "--agents <names>",
      "agents that its sessions may have, such as claude,codex (default: any)",
      (names) => names.split(",").filter((name) => name !== ""),
    )
    .option(
      "--limit <name=value>",
      "limit of its sessions, such as memory=2G for all together or time=5m for each command; may be repeated",
      readLimit,
    );
}

/** The ceiling that the options name; undefined when they name none. */
export function readCeiling(
  { policy, root, agents, limit }: CeilingOptions,
  here: string,
): WantedCeiling | undefined {
  if ([policy, root, agents, limit].every((option) => option === undefined)) return undefined;
  return {
    ...(policy !== undefined && { policy }),
    ...(root !== undefined && { roots: root.map((folder) => path.resolve(here, folder)) }),
    ...(agents !== undefined && { agents: [...agents] }),
    ...(limit !== undefined && { limits: toKeyLimits(limit) }),
  };
}

/** A ceiling in one cell of a list. */
export function ceilingWords(ceiling: Ceiling | undefined): string {
  if (ceiling === undefined) return "anything";
  const { policy, agents, roots, limits = {} } = ceiling;
  const parts = [
    policy,
    ...(agents === undefined ? [] : [agents.join(",")]),
    ...(roots ?? []),
    ...limitOptions({ ...limits.command, ...limits.key }),
  ];
  return safeText(parts.join(" "));
}
