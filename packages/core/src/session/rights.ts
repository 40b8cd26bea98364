// The check of a caller's rights before a session gets an agent, a folder or a policy; refusals are audited.
import { realpath } from "node:fs/promises";
import { DEFAULT_CEILING, type Ceiling, HostError } from "@holdfast/protocol";
import type { AgentEntries } from "../agent/agent-entry.ts";
import type { Audit } from "../audit/audit.ts";
import { rightsEntry } from "../audit/rights-entry.ts";
import { type WantedRights, refuseAbove } from "../rules/ceiling-rules.ts";
import type { SubmittingActor } from "../rules/rule.ts";

/** The actor that wants something, and the most that it may be allowed. */
export interface RightsHolder {
  readonly actor: SubmittingActor;
  readonly ceiling?: Ceiling | undefined;
}

export interface RightsDeps {
  readonly audit: Audit;
  readonly entries: Pick<AgentEntries, "lookUp">;
  /** The host's own folder. */
  readonly home: string;
  /** The folder that holds one for each app. */
  readonly appData?: string | undefined;
}

/** The one place that knows what a caller may have: every transport's requests pass it. */
export class Rights {
  readonly #deps: RightsDeps;

  constructor(deps: RightsDeps) {
    this.#deps = deps;
  }

  /** Rejects with `CEILING_EXCEEDED` what is above the caller's ceiling. The owner has none; an app always has one. */
  async require({ actor, ceiling }: RightsHolder, wanted: WantedRights, session = ""): Promise<void> {
    if (actor.kind !== "app") return;
    const { audit, entries, home, appData } = this.#deps;
    const most = ceiling ?? DEFAULT_CEILING;
    const { folder } = wanted;
    const resolved = {
      agents: most.agents?.map((name) => entries.lookUp(name)?.id ?? name),
      roots: most.roots && (await Promise.all(most.roots.map(rootFolder))),
      home: await rootFolder(home),
      appData: appData === undefined ? undefined : await rootFolder(appData),
    };
    const found = folder === undefined ? wanted : { ...wanted, folder: await realFolder(folder) };
    const refusal = refuseAbove(most, found, resolved);
    if (refusal === undefined) return;
    const { agent, policy } = wanted;
    const subject = [agent?.id, policy].filter((part) => part !== undefined && part !== null).join(" ");
    const by = `app ${actor.appId}`;
    const outcome = refusal.reason;
    audit.record(
      rightsEntry({ what: "refusal", subject, by, outcome, session, cwd: folder, isRefused: true }),
    );
    throw new HostError(refusal.code, refusal.reason);
  }
}

/** A folder after symbolic links; nobody may work in one that cannot be resolved. */
function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch((cause: unknown) => {
    throw new HostError("ACP_INVALID_OPTION", `There is no folder ${folder}. Create it, or name another.`, {
      cause,
    });
  });
}

/** A root after symbolic links; one that is not there holds nothing. */
function rootFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}
