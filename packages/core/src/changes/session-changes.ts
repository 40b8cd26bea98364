// The changes of one session: snapshots around its turns, and what clients ask about them, one at a time.
import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ActiveTurn, ReviewedFile, Turn, TurnId } from "@holdfast/ahp";
import {
  type ChangeList,
  type CommitRequest,
  type FileDiff,
  HostError,
  LIMITS,
  type RevertRequest,
} from "@holdfast/protocol";
import type { SessionContext } from "../session/session-context.ts";
import { SessionSandbox } from "../session/session-sandbox.ts";
import { Git, GitError, hasGit } from "./git.ts";
import { listReported, reportedDiffs, reportedText, reportedVersions } from "./reported-changes.ts";
import { brokenRepository, mayHaveRepository, openRepository } from "./repository.ts";
import {
  type ChangeSummary,
  RepositoryChanges,
  type VersionedChanges,
  findEntry,
} from "./repository-changes.ts";
import { commit, stage, unstage } from "./staging.ts";

/** How many of the newest turns are searched for what an agent reported. */
const maxReportedTurns = 200;

/** Changes to show: of a turn, or since the session's first one. */
export interface ChangeQuery {
  readonly turn?: string | undefined;
  readonly path?: string | undefined;
}

/** Changes with what has been reviewed of them. */
export interface ReviewedChanges extends ChangeList {
  /** The paths of files that somebody marked as reviewed and that have not changed since. */
  readonly reviewed: ReadonlySet<string>;
}

/** One side of a changed file. */
export interface ChangedSide {
  readonly turn?: string | undefined;
  readonly path: string;
  readonly side: "before" | "after";
}

/** Files to mark as reviewed as they are now, or as not reviewed. */
export interface ReviewRequest {
  readonly turn?: string | undefined;
  readonly paths: readonly string[];
  readonly isReviewed: boolean;
}

/** How long a message waits for the snapshot before its turn, and the end of a session for the one after. */
const snapshotWaitMs = 3000;
/** The sandbox of our git stays open between the calls of one view. */
const sandboxIdleMs = 10_000;

/** The changes of one session. `close` ends what runs. */
export class SessionChanges {
  readonly #context: SessionContext;
  readonly #folder: string;
  readonly #sandbox: SessionSandbox;
  readonly #git: Git;
  readonly #repositories = new Map<string, RepositoryChanges>();
  #queue: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(context: SessionContext) {
    const { deps, entry } = context;
    const folder = changesFolder(deps.changesFolder, context.uri);
    this.#context = context;
    this.#folder = folder;
    // Not the one of the agent's processes: they must not reach our snapshots. The next host opens a new one.
    this.#sandbox = new SessionSandbox({
      entry,
      deps: { ...deps, agentFolders: () => [folder] },
      get state() {
        return context.state;
      },
      get realRoots() {
        return context.realRoots;
      },
      publish: () => {},
    });
    this.#git = new Git({
      processPort: deps.processPort,
      enter: () => this.#sandbox.enter(),
      scopes: () => deps.limits.scopesOf(context.state),
    });
  }

  /** Takes a snapshot before a turn; undefined where there is nothing to wait for. Never rejects. */
  beginTurn(turnId: TurnId): Promise<void> | undefined {
    if (!this.#mayHaveRepository) return undefined;
    const taken = this.#enqueue(async () => {
      const repository = await this.#open();
      await repository?.snapshots.begin(turnId, await repository.snapshot());
    });
    return settledWithin(
      taken.catch((error: unknown) => this.#report(error)),
      snapshotWaitMs,
    );
  }

  /** Takes a snapshot after a turn, and publishes the counts of all changes. */
  endTurn(turnId: TurnId): void {
    if (!this.#mayHaveRepository) return this.#notify();
    this.#enqueue(async () => {
      const repository = await this.#open();
      if (repository !== undefined) {
        const tree = await repository.snapshot();
        await repository.snapshots.end(turnId, tree);
        this.#publish(await repository.summarizeAt(tree));
      }
      this.#notify();
      await repository?.snapshots.prune();
    }).catch((error: unknown) => this.#report(error));
  }

  list({ turn }: ChangeQuery): Promise<ChangeList> {
    return this.#enqueue(async () => {
      const repository = await this.#open();
      return repository === undefined ? this.#listReported(turn) : repository.list(this.#root, turn);
    });
  }

  diff({ turn, path: file }: ChangeQuery): Promise<{ diffs: FileDiff[]; isComplete: boolean }> {
    return this.#enqueue(async () => {
      const repository = await this.#open();
      if (repository !== undefined) return repository.diff(turn, file);
      const diffs = reportedDiffs(this.#reportedTurns(), this.#root, turn);
      const wanted = diffs.filter((each) => file === undefined || each.file.path === file);
      return { diffs: wanted, isComplete: false };
    });
  }

  /** The changes, and which files have been reviewed as they are. */
  review(query: ChangeQuery): Promise<ReviewedChanges> {
    return this.#enqueue(async () => {
      const { list, versions } = await this.#listVersions(query.turn);
      const { reviewedFiles = [] } = this.#context.state;
      const current = reviewedFiles.filter((each) => versions.get(each.path) === each.version);
      return { ...list, reviewed: new Set(current.map((each) => each.path)) };
    });
  }

  /** Marks files as reviewed as they are now, or takes the mark away; paths that have not changed are left alone. */
  markReviewed({ turn, paths, isReviewed }: ReviewRequest): Promise<void> {
    return this.#enqueue(async () => {
      const { versions } = await this.#listVersions(turn);
      const chosen = paths.flatMap((each): ReviewedFile[] => {
        const version = versions.get(each);
        return version === undefined ? [] : [{ path: each, version }];
      });
      const { reviewedFiles = [] } = this.#context.state;
      const others = reviewedFiles.filter((each) => !chosen.some((one) => isDeepStrictEqual(one, each)));
      if (chosen.length === 0) return;
      const files = (isReviewed ? [...others, ...chosen] : others).slice(-LIMITS.changedFiles);
      this.#context.publish({ type: "session/reviewedFilesChanged", files });
      this.#notify();
    });
  }

  /** The content of a changed file on one side. */
  content({ turn, path: file, side }: ChangedSide): Promise<Uint8Array> {
    return this.#enqueue(async () => {
      const repository = await this.#open();
      if (repository !== undefined) return repository.content(turn, file, side);
      const text = reportedText(this.#reportedTurns(), this.#root, { turn, path: file, side });
      if (text === undefined) throw new HostError("NOT_FOUND", `The agent did not report ${file} as text.`);
      return Buffer.from(text);
    });
  }

  /** Undoes changes in the working tree; returns the counts of the remaining changes. */
  revert(request: RevertRequest): Promise<ChangeSummary> {
    return this.#change(async (repository) => {
      await repository.revert(request);
      const summary = (await repository.summary()) ?? { files: 0, additions: 0, deletions: 0 };
      this.#publish(summary);
      return summary;
    });
  }

  stage(paths: readonly string[]): Promise<void> {
    return this.#change((repository) => this.#stage(repository, paths));
  }

  /** Takes files out of what is staged. */
  unstage(paths: readonly string[]): Promise<void> {
    return this.#change(async (repository) => {
      const entries = await repository.entries();
      const chosen = paths.map((each) => findEntry(entries, each));
      await unstage(this.#git, repository.repository, chosen);
    });
  }

  /** Commits what is staged, and first stages the files that are named; gives the commit's id. */
  commit({ message, paths }: CommitRequest): Promise<string> {
    return this.#change(async (repository) => {
      if (paths !== undefined) await this.#stage(repository, paths);
      return commit(this.#git, repository.repository, message);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await settledWithin(
      this.#queue.then(() => {}),
      snapshotWaitMs,
    );
    this.#git.close();
    await this.#queue;
    clearTimeout(this.#idle);
    this.#sandbox.close();
  }

  async #listVersions(turn: string | undefined): Promise<VersionedChanges> {
    const repository = await this.#open();
    if (repository !== undefined) return repository.listVersions(this.#root, turn);
    const turns = this.#reportedTurns();
    return {
      list: this.#listReported(turn),
      versions: reportedVersions(turns, this.#root, turn),
    };
  }

  async #stage(repository: RepositoryChanges, paths: readonly string[]): Promise<void> {
    const entries = await repository.entries();
    await stage(
      this.#git,
      repository.repository,
      paths.map((each) => findEntry(entries, each)),
    );
  }

  /** A change needs a repository: elsewhere nobody knows what was there before. */
  #change<Result>(run: (repository: RepositoryChanges) => Promise<Result>): Promise<Result> {
    return this.#enqueue(async () => {
      const repository = await this.#open();
      if (repository !== undefined) {
        const result = await run(repository);
        this.#notify();
        return result;
      }
      const reason = this.#reasonWithoutGit ?? `${this.#root} is not in a git repository.`;
      throw new HostError("CHANGES_UNAVAILABLE", reason);
    });
  }

  #listReported(turn: string | undefined): ChangeList {
    const reason = this.#reasonWithoutGit;
    const list = listReported(this.#reportedTurns(), this.#root, turn);
    return { ...list, ...(reason !== undefined && { reason }) };
  }

  /** Why git cannot be asked about a folder that has a `.git`, as far as somebody can do something about it. */
  get #reasonWithoutGit(): string | undefined {
    if (!this.#mayHaveRepository) return undefined;
    return hasGit() ? brokenRepository(this.#root) : NO_GIT;
  }

  get #root(): string {
    return this.#context.realRoots[0] ?? "/";
  }

  get #mayHaveRepository(): boolean {
    return mayHaveRepository(this.#root);
  }

  /** The newest turns, with those that left the chat's state. */
  #reportedTurns(): readonly (Turn | ActiveTurn)[] {
    const { chat, deps } = this.#context;
    const { turns, activeTurn, turnsNextCursor } = chat.state;
    const recent = [...turns, ...(activeTurn === undefined ? [] : [activeTurn])];
    const [first] = turns;
    const missing = maxReportedTurns - recent.length;
    const isAll = turnsNextCursor === undefined || first === undefined || missing <= 0;
    if (isAll) return recent.slice(-maxReportedTurns);
    return [...(deps.storage.readTurns(chat.uri, first.id, missing)?.turns ?? []), ...recent];
  }

  /** The repository of the session's folder; undefined where there is none, or no git. */
  async #open(): Promise<RepositoryChanges | undefined> {
    const root = this.#root;
    if (!this.#mayHaveRepository || !hasGit()) return undefined;
    const known = this.#repositories.get(root);
    if (known !== undefined) return known;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const repository = await openRepository(this.#git, root, this.#folder);
    if (repository === undefined) return undefined;
    const changes = new RepositoryChanges(this.#git, repository);
    this.#repositories.set(root, changes);
    return changes;
  }

  /** Git locks its index, so runs wait for each other. */
  #enqueue<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new HostError("ACP_SESSION_NOT_FOUND"));
    const result = this.#queue.then(() => {
      clearTimeout(this.#idle);
      return job();
    });
    const rest = (): void => {
      clearTimeout(this.#idle);
      if (this.#isClosed) return;
      this.#idle = setTimeout(() => this.#sandbox.close(), sandboxIdleMs);
      this.#idle.unref();
    };
    this.#queue = result.then(rest, rest);
    return result.catch((error: unknown) => {
      if (!(error instanceof GitError)) throw error;
      throw new HostError("CHANGES_UNAVAILABLE", `git could not compare the files: ${error.message}.`, {
        cause: error,
      });
    });
  }

  #notify(): void {
    this.#context.deps.changeListeners.notify(this.#context.uri);
  }

  #publish(changes: ChangeSummary | undefined): void {
    const context = this.#context;
    if (changes === undefined || !context.deps.hub.has(context.uri)) return;
    if (isDeepStrictEqual(context.state.changes, changes)) return;
    context.publish({ type: "session/changesChanged", changes });
  }

  #report(error: unknown): void {
    if (this.#isClosed) return;
    this.#context.warn(
      `No snapshot of the session's folder: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

const NO_GIT = "There is no git in this machine's system folders. Install git to see what changed.";

/** The folder of a session's snapshots. */
function changesFolder(base: string, session: string): string {
  return path.join(base, createHash("sha256").update(session).digest("hex").slice(0, 32));
}

/** Removes the snapshots of a session that is deleted. */
export async function removeChanges(base: string, session: string): Promise<void> {
  await rm(changesFolder(base, session), { recursive: true, force: true });
}

/** Resolves when the work is done, or after a time. */
async function settledWithin(work: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
