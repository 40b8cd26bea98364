// The changes of a session on the page: read when the view opens, and again when something may have changed.
import { turnParts, type ChatState, type SessionState } from "@holdfast/ahp";
import { useCallback, useEffect, useRef, useState } from "react";
import { useIsReachable } from "../host/use-host.ts";
import { type ChangeList, type ChangeScope, fetchChanges, fetchDiffs, type FileDiff } from "./changes.ts";

/** What is known of the changes. A view that is read again keeps what it shows. */
export type ChangesView =
  | { readonly status: "loading" }
  | { readonly status: "failed"; readonly reason: string }
  | {
      readonly status: "known";
      readonly list: ChangeList;
      /** By path; undefined until they are read. */
      readonly diffs: ReadonlyMap<string, FileDiff> | undefined;
      readonly isReading: boolean;
      /** Why it may be out of date: it could not be read again. */
      readonly problem?: string;
    };

export interface LoadedChanges {
  readonly view: ChangesView;
  /** Reads everything again. */
  readonly reload: () => void;
  /** Reads one file that was too large to be read with the others. */
  readonly loadFile: (path: string) => Promise<void>;
}

/** While an agent works, changes are read at most this often. */
const pauseMs = 1500;

export function useChanges(scope: ChangeScope, version: string): LoadedChanges {
  const { sessionKey, turn } = scope;
  const isReachable = useIsReachable();
  const [view, setView] = useState<ChangesView>({ status: "loading" });
  const [count, setCount] = useState(0);
  const shownScope = useRef("");
  const lastReadMs = useRef(-pauseMs);
  /** The files that somebody loaded. */
  const loadedPaths = useRef(new Set<string>());
  const reload = useCallback(() => setCount((before) => before + 1), []);
  useEffect(() => {
    const stop = new AbortController();
    const name = `${sessionKey}\n${turn ?? ""}`;
    const isSame = shownScope.current === name;
    const read = async (): Promise<void> => {
      lastReadMs.current = performance.now();
      const asked = { sessionKey, turn };
      if (!isSame) loadedPaths.current.clear();
      const list = await fetchChanges(asked, stop.signal);
      shownScope.current = name;
      setView((before) => ({
        status: "known",
        list,
        diffs: isSame && before.status === "known" ? before.diffs : undefined,
        isReading: list.files.length > 0,
      }));
      if (list.files.length === 0) return;
      const diffs = await fetchAllDiffs(asked, loadedPaths.current, stop.signal);
      setView((before) => ({
        status: "known",
        list,
        diffs: before.status === "known" ? keepSameHunks(diffs, before.diffs) : diffs,
        isReading: false,
      }));
    };
    if (!isSame) setView({ status: "loading" });
    if (!isReachable) return;
    const waitMs = isSame ? Math.max(0, lastReadMs.current + pauseMs - performance.now()) : 0;
    const timer = setTimeout(() => {
      read().catch((error: unknown) => {
        if (stop.signal.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        setView((before) => withFailure(before, reason));
      });
    }, waitMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [sessionKey, turn, version, count, isReachable]);
  const loadFile = async (path: string): Promise<void> => {
    const [diff] = await fetchDiffs(scope, path);
    if (diff === undefined) return;
    loadedPaths.current.add(path);
    setView((before) =>
      before.status === "known"
        ? { ...before, diffs: new Map(before.diffs).set(diff.file.path, diff) }
        : before,
    );
  };
  return { view, reload, loadFile };
}

/** The view after a read that failed: changes that are known stay. */
function withFailure(before: ChangesView, reason: string): ChangesView {
  const isWhole = before.status === "known" && (before.diffs !== undefined || before.list.files.length === 0);
  return isWhole ? { ...before, isReading: false, problem: reason } : { status: "failed", reason };
}

/** The diffs of all files, with those that were loaded alone before. */
async function fetchAllDiffs(
  scope: ChangeScope,
  loadedPaths: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FileDiff>> {
  const diffs = new Map((await fetchDiffs(scope, undefined, signal)).map((diff) => [diff.file.path, diff]));
  for (const path of loadedPaths) {
    if (diffs.get(path)?.canReadAlone !== true) continue;
    try {
      const [diff] = await fetchDiffs(scope, path, signal);
      if (diff !== undefined) diffs.set(path, diff);
    } catch (error) {
      if (signal.aborted) throw error;
      // It may have changed back meanwhile; it can still be loaded by its button.
    }
  }
  return diffs;
}

/** Keeps hunks that did not change, so that their rows need not be drawn again, and a diff that was loaded meanwhile. */
function keepSameHunks(
  diffs: ReadonlyMap<string, FileDiff>,
  before: ReadonlyMap<string, FileDiff> | undefined,
): ReadonlyMap<string, FileDiff> {
  const kept = new Map(diffs);
  for (const [path, diff] of diffs) {
    const earlier = before?.get(path);
    if (earlier === undefined) continue;
    const wasLoaded = diff.canReadAlone === true && earlier.hunks.length > 0;
    if (wasLoaded ? hasSameCounts(diff, earlier) : hasSameHunks(diff, earlier)) {
      kept.set(path, wasLoaded ? { ...earlier, file: diff.file } : { ...diff, hunks: earlier.hunks });
    }
  }
  return kept;
}

function hasSameCounts({ file }: FileDiff, { file: earlier }: FileDiff): boolean {
  return file.additions === earlier.additions && file.deletions === earlier.deletions;
}

function hasSameHunks({ hunks }: FileDiff, { hunks: earlier }: FileDiff): boolean {
  return (
    hunks.length === earlier.length &&
    hunks.every(
      ({ id, newStart }, index) => id === earlier[index]?.id && newStart === earlier[index].newStart,
    )
  );
}

/** Another text whenever the files may have changed: a turn began or ended, a tool call ended, or someone reverted. */
export function changesVersion({ changes }: SessionState, { activeTurn, turns }: ChatState): string {
  const calls =
    activeTurn === undefined
      ? 0
      : turnParts(activeTurn).filter(
          (part) => part.kind === "toolCall" && part.toolCall.status === "completed",
        ).length;
  const { files = 0, additions = 0, deletions = 0 } = changes ?? {};
  return [files, additions, deletions, activeTurn?.id, turns.at(-1)?.id, calls].join(" ");
}
