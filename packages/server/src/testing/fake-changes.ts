// The changes of a fake host: what the test sets, and what was asked of them.
import type { ChangeList, CommitRequest, FileDiff, RevertRequest } from "@holdfast/protocol";
import type { HostPort } from "../host-port.ts";

/** The changes of all fake sessions. */
export class FakeChanges implements NonNullable<HostPort["changes"]> {
  /** Requests, in their order. */
  readonly asked: unknown[] = [];
  listed: ChangeList = {
    source: "git",
    folder: "/work",
    turns: [1],
    summary: { files: 0, additions: 0, deletions: 0 },
    files: [],
    omitted: [],
    isComplete: true,
  };
  diffs: FileDiff[] = [];

  async list(key: string, turn: string | undefined): Promise<ChangeList> {
    this.asked.push({ list: key, turn });
    return this.listed;
  }

  async diff(
    key: string,
    query: { readonly turn?: string | undefined; readonly path?: string | undefined },
  ): Promise<{ readonly diffs: readonly FileDiff[]; readonly isComplete: boolean }> {
    this.asked.push({ diff: key, ...query });
    return { diffs: this.diffs, isComplete: true };
  }

  async revert(key: string, request: RevertRequest): Promise<ChangeList["summary"]> {
    this.asked.push({ revert: key, ...request });
    return this.listed.summary;
  }

  async stage(key: string, paths: readonly string[]): Promise<void> {
    this.asked.push({ stage: key, paths });
  }

  async unstage(key: string, paths: readonly string[]): Promise<void> {
    this.asked.push({ unstage: key, paths });
  }

  async commit(key: string, request: CommitRequest): Promise<string> {
    this.asked.push({ commit: key, ...request });
    return "c0ffee";
  }
}
