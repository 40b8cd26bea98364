// Standing permissions: those of a session in its state, those of a folder in storage; made by people, and revocable.
import { randomUUID } from "node:crypto";
import {
  type Actor,
  type AgentId,
  type ApprovalSubject,
  type PermissionRule,
  type PermissionScope,
  type SessionOwner,
  type SessionState,
  makeId,
} from "@holdfast/ahp";
import type { PermissionRuleInfo } from "@holdfast/protocol";
import { describeActor } from "../audit/describe-actor.ts";
import type { Meta } from "../ports.ts";
import { covers } from "./coverage.ts";
import { runsOutside } from "./subject.ts";

/** A rule that holds in all sessions of one owner and agent in a folder. */
export interface FolderRule {
  readonly rule: PermissionRule;
  readonly folder: string;
  readonly agent: AgentId;
  readonly owner: SessionOwner;
}

const prefix = "permission-rule:";

/** All standing permissions of a host. */
export class PermissionRules {
  readonly #meta: Meta;
  readonly #now: () => Date;
  /** By the rules' ids; read from storage when somebody first asks. */
  #folderRules: Map<string, FolderRule> | undefined;

  constructor(meta: Meta, now: () => Date) {
    this.#meta = meta;
    this.#now = now;
  }

  /** The rule that covers something in a session whose folder is `root`. */
  find(session: SessionState, root: string, subject: ApprovalSubject): PermissionRule | undefined {
    const { permissionRules = [], owner, provider } = session;
    const ofFolder = this.folderRules.filter(
      (kept) => kept.folder === root && kept.agent === provider && isSameOwner(kept.owner, owner),
    );
    return [...permissionRules, ...ofFolder.map(({ rule }) => rule)].find((rule) =>
      covers(rule.subject, subject),
    );
  }

  /** A rule for exactly this subject; undefined where nobody knows what it would allow. */
  make(subject: ApprovalSubject, scope: PermissionScope, by: Actor): PermissionRule | undefined {
    const narrow = narrowed(subject);
    if (narrow === undefined) return undefined;
    const id = makeId("permission rule", randomUUID());
    return { id, scope, subject: narrow, createdAt: this.#now().toISOString(), by };
  }

  /** The rules of all folders, oldest first. */
  get folderRules(): readonly FolderRule[] {
    return [...this.#folders.values()];
  }

  /** Keeps a rule for a folder. */
  keep(kept: FolderRule): void {
    this.#meta.set(prefix + kept.rule.id, JSON.stringify(kept));
    this.#folders.set(kept.rule.id, kept);
  }

  /** Revokes a folder's rule; gives whether there was one. */
  remove(id: string): boolean {
    if (!this.#folders.delete(id)) return false;
    this.#meta.delete(prefix + id);
    return true;
  }

  get #folders(): Map<string, FolderRule> {
    if (this.#folderRules !== undefined) return this.#folderRules;
    const stored = this.#meta.keys(prefix).flatMap((key) => {
      const text = this.#meta.get(key);
      return text === undefined ? [] : [JSON.parse(text) as FolderRule];
    });
    stored.sort((one, other) => (one.rule.createdAt < other.rule.createdAt ? -1 : 1));
    this.#folderRules = new Map(stored.map((kept) => [kept.rule.id, kept]));
    return this.#folderRules;
  }
}

/** The exact line, folder and environment of a command, and where it runs outside of the sandbox; the exact paths of a write. */
function narrowed(subject: ApprovalSubject): PermissionRule["subject"] | undefined {
  if (subject.kind === "command") {
    const { kind, line, cwd, environment, isolation } = subject;
    if (line === undefined) return undefined;
    const inside = { kind, line, cwd, environment };
    return runsOutside(subject) && isolation !== undefined ? { ...inside, isolation } : inside;
  }
  if (subject.kind !== "write" || subject.files.length === 0) return undefined;
  return { kind: "write", files: subject.files.map(({ path }) => ({ path })) };
}

/** A rule as the app API shows it. */
export function describeRule(
  { id, scope, subject, createdAt, by }: PermissionRule,
  agentId: string,
  place: { readonly session_key: string } | { readonly folder: string },
): PermissionRuleInfo {
  return { id, scope, ...place, agent_id: agentId, subject, createdAt, by: describeActor(by) };
}

function isSameOwner(one: SessionOwner, other: SessionOwner): boolean {
  if (one.kind === "person" || other.kind === "person") return one.kind === other.kind;
  return one.appId === other.appId;
}
