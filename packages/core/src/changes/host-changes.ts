// The app API's operations on changes, as submissions to the session.
import {
  type ChangeList,
  type CommitRequest,
  type FileDiff,
  HostError,
  type RevertRequest,
} from "@holdfast/protocol";
import { type Caller, submitterOf } from "../caller.ts";
import type { Sessions } from "../session/sessions.ts";
import type { ChangesRequest } from "../submit/changes-executor.ts";
import { type Submit, type SubmissionResult, requireAccepted } from "../submit/submission.ts";
import type { ChangeQuery } from "./session-changes.ts";

/** The changes of all sessions, by their keys. */
export class HostChanges {
  readonly #sessions: Pick<Sessions, "get">;
  readonly #submit: Submit;

  constructor(sessions: Pick<Sessions, "get">, submit: Submit) {
    this.#sessions = sessions;
    this.#submit = submit;
  }

  /** The changes in a session's folder, since its first turn or in one. */
  async list(key: string, turn: string | undefined, caller: Caller): Promise<ChangeList> {
    const { changes } = await this.#ask(key, { type: "session/listChanges", turn }, caller);
    if (changes === undefined) throw new HostError("CHANGES_UNAVAILABLE");
    return changes;
  }

  /** The changes of one file or of all, by hunks. */
  async diff(
    key: string,
    query: ChangeQuery,
    caller: Caller,
  ): Promise<{ readonly diffs: readonly FileDiff[]; readonly isComplete: boolean }> {
    const { diff } = await this.#ask(key, { type: "session/diffChanges", ...query }, caller);
    return diff ?? { diffs: [], isComplete: false };
  }

  /** Undoes changes in the working tree; returns the counts of the remaining changes. */
  async revert(key: string, request: RevertRequest, caller: Caller): Promise<ChangeList["summary"]> {
    const { changeSummary } = await this.#ask(key, { type: "session/revertChanges", request }, caller);
    return changeSummary ?? { files: 0, additions: 0, deletions: 0 };
  }

  async stage(key: string, paths: readonly string[], caller: Caller): Promise<void> {
    await this.#ask(key, { type: "session/stageChanges", paths }, caller);
  }

  async unstage(key: string, paths: readonly string[], caller: Caller): Promise<void> {
    await this.#ask(key, { type: "session/unstageChanges", paths }, caller);
  }

  /** Commits what is staged; gives the commit's id. */
  async commit(key: string, request: CommitRequest, caller: Caller): Promise<string> {
    const { commit = "" } = await this.#ask(key, { type: "session/commitChanges", request }, caller);
    return commit;
  }

  async #ask(key: string, request: ChangesRequest, caller: Caller): Promise<SubmissionResult> {
    const { uri } = this.#sessions.get(key, caller);
    const submission = await this.#submit(uri, request, submitterOf(caller));
    return requireAccepted(submission, "ACP_SESSION_NOT_FOUND").result ?? {};
  }
}
