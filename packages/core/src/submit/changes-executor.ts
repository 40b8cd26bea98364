// Performs what clients ask about the changes in a session's folder: list, read, revert, stage, unstage, commit.
import { type CommitRequest, HostError, type RevertRequest } from "@holdfast/protocol";
import { ALLOWED, type Audit, type AuditSubject } from "../audit/audit.ts";
import { describeActor } from "../audit/describe-actor.ts";
import type { ChangeQuery, ReviewRequest } from "../changes/session-changes.ts";
import type { HostSession } from "../session/host-session.ts";
import type { Rights } from "../session/rights.ts";
import { type Request, type Submission, type SubmittedBy, accepted } from "./submission.ts";

export interface ChangesDeps {
  readonly rights: Rights;
  readonly audit: Audit;
}

/** Requests about changes; those that only read are accepted while nothing can be recorded, too. */
export type ChangesRequest =
  | ({ readonly type: "session/listChanges" } & ChangeQuery)
  | ({ readonly type: "session/diffChanges" } & ChangeQuery)
  | { readonly type: "session/readReview"; readonly turn?: string | undefined }
  | ({ readonly type: "session/markReviewed" } & ReviewRequest)
  | { readonly type: "session/revertChanges"; readonly request: RevertRequest }
  | { readonly type: "session/stageChanges"; readonly paths: readonly string[] }
  | { readonly type: "session/unstageChanges"; readonly paths: readonly string[] }
  | { readonly type: "session/commitChanges"; readonly request: CommitRequest };

const types: ReadonlySet<string> = new Set<ChangesRequest["type"]>([
  "session/listChanges",
  "session/diffChanges",
  "session/readReview",
  "session/markReviewed",
  "session/revertChanges",
  "session/stageChanges",
  "session/unstageChanges",
  "session/commitChanges",
]);

export function isChangesRequest(request: Request): request is ChangesRequest {
  return types.has(request.type);
}

export async function submitChanges(
  deps: ChangesDeps,
  session: HostSession,
  submitted: ChangesRequest,
  by: SubmittedBy,
): Promise<Submission> {
  const { changes } = session;
  switch (submitted.type) {
    case "session/listChanges":
      return accepted(undefined, { changes: await changes.list(submitted) });
    case "session/diffChanges":
      return accepted(undefined, { diff: await changes.diff(submitted) });
    case "session/readReview":
      return accepted(undefined, { review: await changes.review(submitted) });
    case "session/markReviewed":
      return changes.markReviewed(submitted).then(() => accepted());
    case "session/revertChanges": {
      const { request } = submitted;
      const subject = request.files.map(describeRevert).join(" ");
      const work = (): Promise<Submission> =>
        changes.revert(request).then((changeSummary) => accepted(undefined, { changeSummary }));
      return perform(deps, session, by, { what: "revert", subject }, work);
    }
    case "session/stageChanges": {
      const { paths } = submitted;
      const work = (): Promise<Submission> => changes.stage(paths).then(() => accepted());
      return perform(deps, session, by, { what: "stage", subject: paths.join(" ") }, work);
    }
    case "session/unstageChanges": {
      const { paths } = submitted;
      const work = (): Promise<Submission> => changes.unstage(paths).then(() => accepted());
      return perform(deps, session, by, { what: "unstage", subject: paths.join(" ") }, work);
    }
    case "session/commitChanges": {
      const { request } = submitted;
      const [subject = ""] = request.message.trim().split("\n");
      const work = (): Promise<Submission> =>
        changes.commit(request).then((commit) => accepted(undefined, { commit }));
      return perform(deps, session, by, { what: "commit", subject }, work);
    }
  }
}

/** Nobody is asked, so an app needs a ceiling that allows everything in this folder. It is on record. */
async function perform(
  { rights, audit }: ChangesDeps,
  session: HostSession,
  by: SubmittedBy,
  change: { readonly what: AuditSubject; readonly subject: string },
  work: () => Promise<Submission>,
): Promise<Submission> {
  const [cwd] = session.realRoots;
  await rights.require(by, { folder: cwd, policy: "approve-all" }, session.key);
  const entry = { session: session.key, ...change, cwd, by: describeActor(by.actor), ...ALLOWED };
  try {
    const submission = await work();
    const commit = submission.outcome === "accepted" ? submission.result?.commit : undefined;
    audit.record({ ...entry, outcome: commit ?? "done" });
    return submission;
  } catch (error) {
    if (error instanceof HostError) audit.record({ ...entry, outcome: error.message });
    throw error;
  }
}

function describeRevert({ path, hunks }: RevertRequest["files"][number]): string {
  return hunks === undefined ? path : `${path} (${hunks.length} hunk${hunks.length === 1 ? "" : "s"})`;
}
