// Changes of a session: what differs, file by file, with review, revert, stage and commit.
import { DiffIcon } from "@primer/octicons-react";
import type { ChatState, SessionState } from "@holdfast/ahp";
import { type ReactNode, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { VListHandle } from "virtua";
import { diffLayout, listenToDiffLayout } from "../chat/diff-layout.ts";
import type { SessionRoute } from "../frame/route.ts";
import { useHost } from "../host/use-host.ts";
import { pathOf } from "../session/session-words.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Fold } from "../ui/fold.tsx";
import style from "./changes-page.module.css";
import {
  type ChangedFile,
  type ChangeHunk,
  type ChangeList,
  type ChangeScope,
  type FileDiff,
  revertChanges,
  stageFiles,
} from "./changes.ts";
import { ChangesToolbar } from "./changes-toolbar.tsx";
import { CommitBar, countWords } from "./commit-bar.tsx";
import { proposedMessage } from "./commit-message.ts";
import { DiffList } from "./diff-list.tsx";
import { type DiffRow, diffRows, type Layout } from "./diff-rows.ts";
import { FilePreview } from "./file-preview.tsx";
import { FileTree } from "./file-tree-view.tsx";
import { inTreeOrder } from "./file-tree.ts";
import { RevertDialog } from "./revert-dialog.tsx";
import { ReviewBar } from "./review-bar.tsx";
import { changesVersion, type ChangesView, type LoadedChanges, useChanges } from "./use-changes.ts";

interface ChangesPageProps {
  readonly route: SessionRoute;
  readonly session: SessionState;
  readonly chat: ChatState;
}

export default function ChangesPage({ route, session, chat }: ChangesPageProps): ReactNode {
  const scope = useMemo(() => ({ sessionKey: session.key, turn: route.turn }), [session.key, route.turn]);
  const changes = useChanges(scope, changesVersion(session, chat));
  const { view } = changes;
  if (route.file !== undefined) {
    const folder = pathOf(session.workingDirectories[0]);
    return (
      <div className={style.page}>
        <FilePreview
          key={route.file}
          route={route}
          file={route.file}
          folder={folder}
          sessionKey={session.key}
        />
        <ReviewBar session={session} chat={chat} />
      </div>
    );
  }
  return (
    <div className={style.page}>
      {view.status === "loading" && <p className={style.empty}>Comparing files…</p>}
      {view.status === "failed" && (
        <div className={style.empty}>
          <p role="alert">{view.reason}</p>
          <Button onClick={changes.reload}>Compare again</Button>
        </div>
      )}
      {view.status === "known" && (
        <KnownChanges
          // The folded files belong to one list of changes.
          key={route.turn ?? "all"}
          route={route}
          session={session}
          chat={chat}
          scope={scope}
          list={view.list}
          diffs={view.diffs}
          changes={changes}
        />
      )}
      <ReviewBar session={session} chat={chat} />
    </div>
  );
}

interface KnownChangesProps extends ChangesPageProps {
  readonly scope: ChangeScope;
  readonly list: ChangeList;
  readonly diffs: ReadonlyMap<string, FileDiff> | undefined;
  readonly changes: LoadedChanges;
}

/** A file or hunk that a person wants to undo. */
interface AskedRevert {
  readonly file: ChangedFile;
  readonly hunk: ChangeHunk | undefined;
}

function KnownChanges(props: KnownChangesProps): ReactNode {
  const { session, chat, scope, list, changes } = props;
  const host = useHost();
  const [asked, setAsked] = useState<AskedRevert>();
  const files = useMemo(() => inTreeOrder(list.files), [list.files]);
  const canStage = list.source === "git" && scope.turn === undefined;
  const uncommitted = files.filter(({ isCommitted }) => isCommitted !== true);
  const change = async (request: Promise<unknown>): Promise<void> => {
    await host.reportFailure(request);
    changes.reload();
  };
  const stage = (chosen: readonly ChangedFile[], isStaged: boolean): void => {
    const paths = chosen.map(({ path }) => path);
    void change(stageFiles(scope, paths, isStaged));
  };
  const revert = ({ file: { path }, hunk }: AskedRevert): void => {
    setAsked(undefined);
    void change(revertChanges(scope, [hunk === undefined ? { path } : { path, hunks: [hunk.id] }]));
  };
  return (
    <>
      <ChangedFiles
        {...props}
        files={files}
        onStage={canStage ? stage : undefined}
        onRevert={list.source === "git" ? (file, hunk) => setAsked({ file, hunk }) : undefined}
      />
      {canStage && uncommitted.length > 0 && (
        <CommitBar
          scope={scope}
          files={uncommitted}
          proposed={proposedMessage(session.label ?? session.title, chat.turns.at(-1)?.message.text)}
          onDone={changes.reload}
        />
      )}
      {asked !== undefined && (
        <RevertDialog
          file={asked.file}
          hunk={asked.hunk}
          turn={scope.turn}
          onClose={() => setAsked(undefined)}
          onRevert={() => revert(asked)}
        />
      )}
    </>
  );
}

/** So many files are open at first; more would hide each other. */
const maxOpenAtFirst = 100;

interface ChangedFilesProps extends KnownChangesProps {
  readonly files: readonly ChangedFile[];
  readonly onStage: ((files: readonly ChangedFile[], isStaged: boolean) => void) | undefined;
  readonly onRevert: ((file: ChangedFile, hunk?: ChangeHunk) => void) | undefined;
}

/** The tree and the diffs. */
function ChangedFiles(props: ChangedFilesProps): ReactNode {
  const { route, session, chat, scope, list, diffs, changes, files, onStage, onRevert } = props;
  const host = useHost();
  const diffList = useRef<VListHandle>(null);
  const { layout, isNarrow } = useLayout();
  const [isTreeOpen, setIsTreeOpen] = useState(false);
  const [closed, setClosed] = useState<ReadonlySet<string>>(
    () => new Set(files.slice(maxOpenAtFirst).map(({ path }) => path)),
  );
  const toggle = (path: string): void => {
    const next = new Set(closed);
    if (!next.delete(path)) next.add(path);
    setClosed(next);
  };
  const select = (path: string): void => {
    setIsTreeOpen(false);
    const next = new Set(closed);
    next.delete(path);
    setClosed(next);
    // The list has the row of the file only after it is drawn with it.
    const rows = diffRows(files, diffs ?? new Map(), layout, next);
    requestAnimationFrame(() => scrollToFile(diffList.current, rows, path));
  };
  return (
    <>
      <ChangesToolbar
        route={route}
        chat={chat}
        list={list}
        layout={layout}
        isNarrow={isNarrow}
        isTreeOpen={isTreeOpen}
        onTree={() => setIsTreeOpen(!isTreeOpen)}
        onReload={changes.reload}
      />
      <ListNotes list={list} view={changes.view} />
      {files.length === 0 ? (
        <NoChanges scope={scope} isGit={list.source === "git"} />
      ) : (
        <div className={style.columns} data-tree={isTreeOpen}>
          <FileTree files={files} onSelect={select} onStage={onStage} />
          <div className={style.diffs}>
            {diffs === undefined ? (
              <p className={style.empty}>Reading the changes…</p>
            ) : (
              <DiffList
                handle={diffList}
                route={route}
                sessionKey={session.key}
                files={files}
                diffs={diffs}
                layout={layout}
                closed={closed}
                onToggle={toggle}
                onLoad={(path) => void host.reportFailure(changes.loadFile(path))}
                onRevert={onRevert}
              />
            )}
          </div>
        </div>
      )}
    </>
  );
}

interface ListNotesProps {
  readonly list: ChangeList;
  readonly view: ChangesView;
}

/** What is missing from the list, and why. */
function ListNotes({ list, view }: ListNotesProps): ReactNode {
  return (
    <>
      {view.status === "known" && view.problem !== undefined && (
        <p className={style.note} role="alert">
          These changes may be out of date, because they could not be read again: {view.problem}
        </p>
      )}
      {list.source === "agent" && list.files.length > 0 && (
        <p className={style.note}>
          This folder is not in a git repository, so these are the edits that the agent reported. What
          commands changed is not shown.
        </p>
      )}
      {list.omitted.length > 0 && <Omitted list={list} />}
    </>
  );
}

/** Scrolls to the heading of a file. */
function scrollToFile(list: VListHandle | null, rows: readonly DiffRow[], path: string): void {
  const index = rows.findIndex((row) => row.kind === "file" && row.file.path === path);
  if (index >= 0) list?.scrollToIndex(index);
}

function NoChanges({ scope, isGit }: { readonly scope: ChangeScope; readonly isGit: boolean }): ReactNode {
  const when = scope.turn === undefined ? "since the session began" : `in turn ${scope.turn}`;
  return (
    <EmptyState icon={<DiffIcon size={24} />} title="No changes">
      {isGit ? `No file differs ${when}.` : `The agent has reported no edits ${when}.`}
    </EmptyState>
  );
}

const reasons: Readonly<Record<string, string>> = {
  "too-large": "larger than 8 MiB",
  "too-many": "too many untracked files",
  "nested-repository": "a separate repository",
  "not-a-file": "a FIFO, a socket or a device",
  unreadable: "git cannot read it",
};

function Omitted({ list: { omitted } }: { readonly list: ChangeList }): ReactNode {
  return (
    <div className={style.note}>
      <Fold summary={`${countWords(omitted.length, "file")} not compared`}>
        <ul className={style.omitted}>
          {omitted.map(({ path, reason }) => (
            <li key={path}>
              <code>{path}</code> ({reasons[reason] ?? reason})
            </li>
          ))}
        </ul>
      </Fold>
    </div>
  );
}

const narrow = matchMedia("(max-width: 1023px)");

/** The layout of diffs: as the person chose, and unified where two columns do not fit. */
function useLayout(): {
  readonly layout: Layout;
  /** Whether side by side does not fit. */
  readonly isNarrow: boolean;
} {
  const chosen = useSyncExternalStore(listenToDiffLayout, diffLayout);
  const isNarrow = useSyncExternalStore(listenToWidth, () => narrow.matches);
  return { layout: isNarrow ? "unified" : chosen, isNarrow };
}

function listenToWidth(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}
