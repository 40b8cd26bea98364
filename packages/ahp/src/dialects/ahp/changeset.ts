// Changesets: the changes in a session's folder as AHP writes them for a review, and their URIs.
import { decodeBase64Url, encodeBase64Url } from "../../model/base64url.ts";
import { checkShape, flag, list, object, text, type Checked } from "../../model/shape.ts";
import { fileUri } from "./uri.ts";
import { undispatchable, type WireAction } from "./wire-action.ts";
import type { WireContentRef, WireError, WireFileEdit } from "./wire-chat.ts";

/** The part of changesets that a version of AHP has; with `review`, files can be marked as reviewed. */
export type ChangesetStyle = "none" | "plain" | "review";

/** All changes since a session's first turn, or those of one turn. */
export interface ChangesetAddress {
  readonly session: string;
  readonly turn?: string | undefined;
}

/** The URI of a changeset. Editors compute exactly this string from the session's URI. */
export function changesetUri({ session, turn }: ChangesetAddress): string {
  const scope = turn === undefined ? "session" : `turn/${encodeURIComponent(turn)}`;
  return `${session}/changeset/${scope}`;
}

/** Reads such a URI; undefined when it is none. */
export function parseChangesetUri(uri: string): ChangesetAddress | undefined {
  const [, session, scope, turn] = /^(.+)\/changeset\/(session|turn\/([^/]+))$/.exec(uri) ?? [];
  if (session === undefined || scope === undefined) return undefined;
  return turn === undefined ? { session } : { session, turn: decode(turn) };
}

/** One side of a changed file. */
export interface ChangedFileAddress extends ChangesetAddress {
  /** From the session's folder. */
  readonly path: string;
  readonly side: "before" | "after";
}

const contentPrefix = "x-holdfast-change:/";

/** The URI of a file's content on one side of a changeset. */
export function changedFileUri({ session, turn, path, side }: ChangedFileAddress): string {
  const names = [session, path, ...(turn === undefined ? [] : [turn])].map(encodeBase64Url);
  return `${contentPrefix}${side}/${names.join("/")}`;
}

/** Reads such a URI back; undefined when it is none of ours. */
export function parseChangedFileUri(uri: string): ChangedFileAddress | undefined {
  if (!uri.startsWith(contentPrefix)) return undefined;
  const [side, ...encoded] = uri.slice(contentPrefix.length).split("/");
  const [session, path, turn, ...rest] = encoded.map(decodeBase64Url);
  if ((side !== "before" && side !== "after") || !session || !path || rest.length > 0) return undefined;
  if (encoded.length < 3) return { session, path, side };
  return turn ? { session, path, side, turn } : undefined;
}

/** A changed file, as the host lists it. */
export interface ListedChange {
  readonly path: string;
  readonly oldPath?: string | undefined;
  readonly status: "added" | "modified" | "deleted" | "renamed" | "type-changed";
  readonly kind: string;
  readonly additions: number;
  readonly deletions: number;
  readonly staged?: "full" | "partial" | undefined;
  readonly isCommitted?: true | undefined;
}

/** The changes of one changeset. */
export interface ListedChanges {
  readonly source: "git" | "agent";
  readonly folder: string;
  readonly files: readonly ListedChange[];
  /** The paths of files that have been reviewed as they are. */
  readonly reviewed: ReadonlySet<string>;
}

interface WireChangeset {
  readonly label: string;
  readonly uriTemplate: string;
  readonly changeKind: "session" | "turn";
  readonly capabilities?: { readonly review: object };
}

/** The changesets of every session. */
export function showChangesets(session: string, style: ChangesetStyle): readonly WireChangeset[] | undefined {
  if (style === "none") return undefined;
  const capabilities = style === "review" ? { capabilities: { review: {} } } : {};
  const changeset = changesetUri({ session });
  const ofTurn = `${session}/changeset/turn/{turnId}`;
  return [
    { label: "Session changes", uriTemplate: changeset, changeKind: "session", ...capabilities },
    { label: "Changes of a turn", uriTemplate: ofTurn, changeKind: "turn", ...capabilities },
  ];
}

export interface WireChangesetFile {
  readonly id: string;
  readonly edit: WireFileEdit & { readonly diff: { readonly added: number; readonly removed: number } };
  readonly reviewed?: boolean;
  readonly _meta?: { readonly holdfast: { readonly staged: "full" | "partial" } };
}

/** The name of an operation. */
export type ChangesetOperationId = "revert" | "stage" | "unstage";

/** An operation as clients see it. */
export interface WireChangesetOperation {
  readonly id: ChangesetOperationId;
  readonly label: string;
  readonly description: string;
  readonly scopes: readonly ("changeset" | "resource")[];
  readonly confirmation?: string;
  readonly icon?: string;
  readonly status: "idle" | "running" | "error";
  readonly error?: WireError;
}

/** The state of a changeset. */
export interface WireChangesetState {
  readonly status: "ready" | "error";
  readonly error?: WireError;
  readonly files: readonly WireChangesetFile[];
  readonly operations?: readonly WireChangesetOperation[];
}

/** The files of a changeset; a file is named by its URI. */
export function showChangesetFiles(
  changes: ListedChanges,
  address: ChangesetAddress,
  style: ChangesetStyle,
): readonly WireChangesetFile[] {
  return changes.files.map((file) => {
    const { path, oldPath = path, status, kind, additions, deletions, staged } = file;
    const uri = fileUri(pathIn(changes.folder, path));
    const oldUri = fileUri(pathIn(changes.folder, oldPath));
    const content = (side: "before" | "after"): WireContentRef => ({
      uri: changedFileUri({ ...address, path, side }),
    });
    // A side that is the working tree can be read and edited in place.
    const isLive = address.turn === undefined && changes.source === "git" && kind === "file";
    return {
      id: uri,
      edit: {
        ...(status !== "added" && { before: { uri: oldUri, content: content("before") } }),
        ...(status !== "deleted" && { after: { uri, content: isLive ? { uri } : content("after") } }),
        diff: { added: additions, removed: deletions },
      },
      ...(style === "review" && { reviewed: changes.reviewed.has(path) }),
      ...(staged !== undefined && { _meta: { holdfast: { staged } } }),
    };
  });
}

const anywhere = ["changeset", "resource"] as const;
const idle = { scopes: anywhere, status: "idle" } as const;

const revert: WireChangesetOperation = {
  id: "revert",
  label: "Revert",
  description: "Undo the changes in the working tree. All of them are undone, or none.",
  confirmation: "Undo these changes in the working tree? This cannot be undone.",
  icon: "discard",
  ...idle,
};
const stage: WireChangesetOperation = {
  id: "stage",
  label: "Stage",
  description: "Add the files to git's index as they are now.",
  icon: "add",
  ...idle,
};
const unstage: WireChangesetOperation = {
  id: "unstage",
  label: "Unstage",
  description: "Take the files out of git's index.",
  icon: "remove",
  ...idle,
};

/** The operations of a changeset: none outside of a repository, and no staging of what a turn did. */
export function changesetOperations(
  { source, files }: ListedChanges,
  { turn }: ChangesetAddress,
): readonly WireChangesetOperation[] {
  if (source !== "git" || files.length === 0) return [];
  if (turn !== undefined) return [revert];
  const canStage = files.some(({ staged, isCommitted }) => staged !== "full" && isCommitted !== true);
  const canUnstage = files.some(({ staged }) => staged !== undefined);
  return [revert, ...(canStage ? [stage] : []), ...(canUnstage ? [unstage] : [])];
}

/** The action of AHP that marks files as reviewed; it is the only one that clients dispatch. */
export const REVIEW_ACTION = "changeset/filesReviewChanged";

/** Files by their ids, and whether they are marked as reviewed from now on. */
export interface WrittenReview {
  readonly files: readonly string[];
  readonly reviewed: boolean;
}

const reviewShape = object<WrittenReview>({ files: list(text), reviewed: flag });

/** Reads the action in a version that has it. */
export function readReviewAction(action: WireAction, style: ChangesetStyle): Checked<WrittenReview> {
  if (style === "review" && action.type === REVIEW_ACTION) return checkShape(reviewShape, action);
  return { ok: false, problem: undispatchable(action) };
}

function pathIn(folder: string, path: string): string {
  return path.startsWith("/") ? path : `${folder === "/" ? "" : folder}/${path}`;
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    // Not encoded: an editor put the id in as it is.
    return encoded;
  }
}
