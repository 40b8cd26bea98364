// A request for permission and how it was decided.
import { actorShape, type Actor } from "../failure.ts";
import type { ApprovalId, PermissionRuleId } from "../ids.ts";
import type { OpenEnum, Timestamp } from "../json.ts";
import { count, id, list, object, oneOf, optional, taggedUnion, text } from "../shape.ts";

/** A question to a person: may this tool call run? */
export interface Approval {
  readonly id: ApprovalId;
  /** The action, such as `execute` or `write`. */
  readonly action: string;
  /** The subject in one text: the command line, the paths, or, where nothing is known, what the agent calls it. */
  readonly target: string;
  /** The choices that the agent offers, in its order. */
  readonly options: readonly ApprovalOption[];
  readonly requestedAt: Timestamp;
  /** When a reject option is picked if nobody has answered. */
  readonly expiresAt?: Timestamp;
  /** The exact action; absent in states that an older host stored. */
  readonly subject?: ApprovalSubject;
  /** Who runs it: the host, which enforces the decision, or the agent, which reports it. */
  readonly source?: "host" | "agent";
  /** The agent's own title for it, which may say anything. */
  readonly agentTitle?: string;
}

/** The action that an approval is about, as far as it is known; a decision covers this and nothing else. */
export type ApprovalSubject =
  | CommandSubject
  | { readonly kind: "write"; readonly files: readonly SubjectFile[] }
  | { readonly kind: "read"; readonly files: readonly SubjectFile[] }
  /** Nothing is known but the agent's words. */
  | { readonly kind: "other" };

/** A command that would run. */
export interface CommandSubject {
  readonly kind: "command";
  /** The line as a shell would read it; absent where the agent does not say what it will run. */
  readonly line?: string;
  /** The program that the line leads to, where the host resolved it. */
  readonly program?: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  /** The variables by which its environment differs from the usual one. */
  readonly environment: readonly EnvironmentChange[];
  readonly run?: "text" | "tty";
  /** The isolation that it would run under. */
  readonly isolation?: string;
}

/** A variable that is set otherwise than usual; without a value it is not set at all. */
export interface EnvironmentChange {
  readonly name: string;
  readonly value?: string;
}

/** A file that would be written or read. */
export interface SubjectFile {
  /** Absolute, links followed. */
  readonly path: string;
  /** The path as the agent named it, where that is another. */
  readonly link?: string;
  readonly diff?: SubjectDiff;
}

/** The part of a file that would change. */
export interface SubjectDiff {
  /** The first line that differs, from 1. */
  readonly line: number;
  /** The lines before and after; empty where there are none. */
  readonly before: string;
  readonly after: string;
  /** How many characters of both were left out. */
  readonly omittedChars?: number;
}

/** One answer that an approval offers. */
export interface ApprovalOption {
  /** The agent's own id, unless it is the name of another kind; it need not resemble the kind. */
  readonly id: string;
  /** The meaning of the kind; the agent's name stands beside it where several options have the kind. */
  readonly label: string;
  readonly kind: OpenEnum<"allow_once" | "allow_always" | "reject_once" | "reject_always">;
  /** The agent's name for it, which may say anything. */
  readonly agentLabel?: string;
}

/** Whether choosing an option of this kind lets the tool call run; a kind that nobody knows may. */
export function isAllowing(kind: ApprovalOption["kind"]): boolean {
  return !kind.startsWith("reject");
}

/** A person's standing permission: what it describes is not asked about again. */
export interface PermissionRule {
  readonly id: PermissionRuleId;
  /** Where it holds: in one session, or in all sessions of the same owner and agent in a folder. */
  readonly scope: PermissionScope;
  readonly subject: CommandSubject | Extract<ApprovalSubject, { readonly kind: "write" }>;
  readonly createdAt: Timestamp;
  readonly by: Actor;
}

/** Where a permission rule holds. */
export type PermissionScope = "session" | "folder";

/** How an approval ended; the first decision counts. */
export interface ApprovalDecision {
  readonly approvalId: ApprovalId;
  readonly outcome: "approved" | "denied" | "cancelled";
  /** The option that was chosen, if the outcome comes from one. */
  readonly optionId?: string;
  readonly by: Actor;
  readonly at: Timestamp;
  /** A person's preferred alternative; the agent gets it where its protocol has a field for it. */
  readonly suggestion?: string;
  /** Where an answer for always holds; without it, in the session. */
  readonly scope?: PermissionScope;
}

const environmentShape = list(object<EnvironmentChange>({ name: text, value: optional(text) }));

const filesShape = list(
  object<SubjectFile>({
    path: text,
    link: optional(text),
    diff: optional(
      object<SubjectDiff>({ line: count, before: text, after: text, omittedChars: optional(count) }),
    ),
  }),
);

const command = {
  line: optional(text),
  program: optional(text),
  args: optional(list(text)),
  cwd: text,
  environment: environmentShape,
  run: optional(oneOf("text", "tty")),
  isolation: optional(text),
};

const subjectShape = taggedUnion<ApprovalSubject, "kind">("kind", {
  command,
  write: { files: filesShape },
  read: { files: filesShape },
  other: {},
});

export const approvalShape = object<Approval>({
  id: id("approval"),
  action: text,
  target: text,
  options: list(object<ApprovalOption>({ id: text, label: text, kind: text, agentLabel: optional(text) })),
  requestedAt: text,
  expiresAt: optional(text),
  subject: optional(subjectShape),
  source: optional(oneOf("host", "agent")),
  agentTitle: optional(text),
});

const scopeShape = oneOf<PermissionScope>("session", "folder");

export const permissionRuleShape = object<PermissionRule>({
  id: id("permission rule"),
  scope: scopeShape,
  subject: taggedUnion<PermissionRule["subject"], "kind">("kind", { command, write: { files: filesShape } }),
  createdAt: text,
  by: actorShape,
});

export const approvalDecisionShape = object<ApprovalDecision>({
  approvalId: id("approval"),
  outcome: oneOf("approved", "denied", "cancelled"),
  optionId: optional(text),
  by: actorShape,
  at: text,
  suggestion: optional(text),
  scope: optional(scopeShape),
});
