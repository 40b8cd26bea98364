// Changes of a session's folder, as the host lists them; only the fields that the page shows.
import { hostFetch } from "../host/host-fetch.ts";

export interface ChangedFile {
  readonly path: string;
  readonly oldPath?: string;
  readonly status: "added" | "modified" | "deleted" | "renamed" | "type-changed";
  readonly kind: "file" | "symlink" | "submodule";
  readonly additions: number;
  readonly deletions: number;
  readonly isBinary?: true;
  readonly oldMode?: string;
  readonly newMode?: string;
  readonly staged?: "full" | "partial";
  readonly isCommitted?: true;
}

export interface ChangeList {
  readonly source: "git" | "agent";
  readonly folder: string;
  /** The numbers of the turns that can be asked for. */
  readonly turns: readonly number[];
  readonly summary: { readonly files: number; readonly additions: number; readonly deletions: number };
  readonly files: readonly ChangedFile[];
  readonly omitted: readonly { readonly path: string; readonly reason: string }[];
  readonly isComplete: boolean;
}

export interface ChangeHunk {
  readonly id: string;
  readonly oldStart: number;
  readonly newStart: number;
  readonly heading: string;
  /** Lines, each with its sign. */
  readonly text: string;
}

export interface FileDiff {
  readonly file: ChangedFile;
  readonly hunks: readonly ChangeHunk[];
  readonly isTooLarge?: true;
  /** It was left out because of the others, and can be asked for alone. */
  readonly canReadAlone?: true;
}

/** Which changes are meant: those of a turn, or all since the session's first one. */
export interface ChangeScope {
  readonly sessionKey: string;
  readonly turn: number | undefined;
}

export async function fetchChanges(scope: ChangeScope, signal: AbortSignal): Promise<ChangeList> {
  const answer = await hostFetch(addressOf(scope, "", { turn: scope.turn }), signal);
  return ((await answer.json()) as { readonly changes: ChangeList }).changes;
}

/** The diffs of all files, or of one. */
export async function fetchDiffs(
  scope: ChangeScope,
  path: string | undefined,
  signal?: AbortSignal,
): Promise<readonly FileDiff[]> {
  const answer = await hostFetch(addressOf(scope, "/diff", { turn: scope.turn, path }), signal);
  return ((await answer.json()) as { readonly diffs: readonly FileDiff[] }).diffs;
}

export async function revertChanges(
  scope: ChangeScope,
  files: readonly { readonly path: string; readonly hunks?: readonly string[] }[],
): Promise<void> {
  const body = { files, ...(scope.turn !== undefined && { turn: String(scope.turn) }) };
  await hostFetch(addressOf(scope, "/revert"), undefined, "POST", body);
}

/** Adds files to git's index, or takes them out. */
export async function stageFiles(
  scope: ChangeScope,
  paths: readonly string[],
  isStaged: boolean,
): Promise<void> {
  await hostFetch(addressOf(scope, isStaged ? "/stage" : "/unstage"), undefined, "POST", { paths });
}

/** Commits what is staged, or the named files; gives the commit's id. */
export async function commitFiles(
  scope: ChangeScope,
  message: string,
  paths: readonly string[] | undefined,
): Promise<string> {
  const body = { message, ...(paths !== undefined && { paths }) };
  const answer = await hostFetch(addressOf(scope, "/commit"), undefined, "POST", body);
  return ((await answer.json()) as { readonly commit: string }).commit;
}

function addressOf(
  { sessionKey }: ChangeScope,
  what: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const address = `/sdk/acp/session/${encodeURIComponent(sessionKey)}/changes${what}`;
  return search.size === 0 ? address : `${address}?${search}`;
}
