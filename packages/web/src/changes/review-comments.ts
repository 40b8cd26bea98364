// Comments on lines of a session's changes: collected in the tab, then sent to the agent as one message.
import { useMemo, useSyncExternalStore } from "react";
import { randomId } from "../host/client-id.ts";
import type { DiffLine } from "./diff-rows.ts";

/** The place of a comment: a line of one side of a file. */
export interface CommentPlace {
  readonly path: string;
  readonly side: DiffLine["side"];
  readonly line: number;
  /** The line itself, since the file may change before the agent reads the comment. */
  readonly code: string;
}

export interface ReviewComment extends CommentPlace {
  readonly id: string;
  readonly text: string;
}

/** The form of a comment that is being written: a new one, or one whose text is changed. */
export interface OpenForm {
  readonly key: string;
  readonly place: CommentPlace;
  /** The comment that is changed. */
  readonly commentId?: string | undefined;
}

/** A form as the tab keeps it. */
interface KeptForm extends OpenForm {
  readonly text: string;
}

const prefix = "holdfast-review:";
const formsPrefix = "holdfast-review-forms:";

/** The comments of one session, in the order in which they were written. */
class ReviewComments {
  readonly #storageKey: string;
  readonly #formsKey: string;
  readonly #listeners = new Set<() => void>();
  #comments: readonly ReviewComment[];
  #forms: readonly OpenForm[];
  /** The texts in the forms: apart from them, so that a key that is typed draws no list again. */
  readonly #texts: Map<string, string>;

  constructor(sessionKey: string) {
    this.#storageKey = prefix + sessionKey;
    this.#formsKey = formsPrefix + sessionKey;
    this.#comments = readKept(this.#storageKey, isComment);
    const kept = readKept(this.#formsKey, isKeptForm);
    const isOpen = ({ commentId }: OpenForm): boolean =>
      commentId === undefined || this.#comments.some(({ id }) => id === commentId);
    this.#forms = kept.filter(isOpen).map(({ key, place, commentId }) => ({ key, place, commentId }));
    this.#texts = new Map(kept.map(({ key, text }) => [key, text]));
  }

  readonly view = (): readonly ReviewComment[] => this.#comments;

  /** The open forms: they outlast their rows, which a list removes when they leave the view. */
  readonly forms = (): readonly OpenForm[] => this.#forms;

  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(place: CommentPlace, text: string): void {
    this.#become([...this.#comments, { ...place, id: randomId(), text }]);
  }

  change(id: string, text: string): void {
    this.#become(this.#comments.map((comment) => (comment.id === id ? { ...comment, text } : comment)));
  }

  remove(ids: readonly string[]): void {
    this.#forms = this.#forms.filter(({ commentId }) => commentId === undefined || !ids.includes(commentId));
    this.#keepForms();
    this.#become(this.#comments.filter(({ id }) => !ids.includes(id)));
  }

  /** Opens the form of a new comment, and closes those without text; returns its key, unless it is open already. */
  openNew(place: CommentPlace): string | undefined {
    const key = `form\n${place.path}\n${place.side}\n${place.line}`;
    if (this.#forms.some((form) => form.key === key)) return undefined;
    const kept = this.#forms.filter((form) => this.textIn(form.key).trim() !== "");
    this.#texts.delete(key);
    this.#showForms([...kept, { key, place }]);
    return key;
  }

  /** Opens the form that changes a comment; returns its key. */
  openChange(comment: ReviewComment): string {
    const key = `form\n${comment.id}`;
    this.#texts.set(key, comment.text);
    this.#showForms([...this.#forms, { key, place: comment, commentId: comment.id }]);
    return key;
  }

  /** The text in a form. */
  textIn(key: string): string {
    return this.#texts.get(key) ?? "";
  }

  /** Keeps the text in a form. */
  write(key: string, text: string): void {
    this.#texts.set(key, text);
    this.#keepForms();
  }

  /** Saves the comment of a form, and closes it. */
  save({ key, place, commentId }: OpenForm, text: string): void {
    this.closeForm(key);
    if (commentId === undefined) this.add(place, text);
    else this.change(commentId, text);
  }

  closeForm(key: string): void {
    this.#texts.delete(key);
    this.#showForms(this.#forms.filter((form) => form.key !== key));
  }

  #showForms(forms: readonly OpenForm[]): void {
    this.#forms = forms;
    this.#keepForms();
    for (const listener of this.#listeners) listener();
  }

  #keepForms(): void {
    const written = this.#forms.map((form): KeptForm => ({ ...form, text: this.textIn(form.key) }));
    keep(this.#formsKey, written);
  }

  #become(comments: readonly ReviewComment[]): void {
    this.#comments = comments;
    keep(this.#storageKey, comments);
    for (const listener of this.#listeners) listener();
  }
}

const stores = new Map<string, ReviewComments>();

/** The comments of a session, and how to change them. */
export function useReviewComments(sessionKey: string): {
  readonly store: ReviewComments;
  readonly comments: readonly ReviewComment[];
  readonly forms: readonly OpenForm[];
} {
  const store = useMemo(() => {
    const found = stores.get(sessionKey) ?? new ReviewComments(sessionKey);
    stores.set(sessionKey, found);
    return found;
  }, [sessionKey]);
  return {
    store,
    comments: useSyncExternalStore(store.listen, store.view),
    forms: useSyncExternalStore(store.listen, store.forms),
  };
}

/** All comments as one message, by file and line, each with the line that it is about. */
export function reviewMessage(comments: readonly ReviewComment[]): string {
  const ordered = comments.toSorted(
    (one, other) => one.path.localeCompare(other.path, "en") || one.line - other.line,
  );
  const parts = ordered.map(({ path, side, line, code, text }) => {
    const where = `${path}:${line}${side === "old" ? " (removed line)" : ""}`;
    return `${where}\n> ${code.trim() === "" ? "(empty line)" : code}\n${text.trim()}`;
  });
  const count = comments.length === 1 ? "1 comment" : `${comments.length} comments`;
  return [`Review of your changes, ${count}:`, ...parts].join("\n\n");
}

export function isAt(comment: CommentPlace, path: string, line: DiffLine | undefined): boolean {
  return comment.path === path && comment.side === line?.side && comment.line === line.number;
}

function readKept<Item>(key: string, isItem: (value: unknown) => value is Item): readonly Item[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isItem) : [];
  } catch {
    // Storage is denied, or has something else under this name: the items live as long as the page.
    return [];
  }
}

function isComment(value: unknown): value is ReviewComment {
  if (!isPlace(value)) return false;
  const { id, text } = value as Partial<Record<keyof ReviewComment, unknown>>;
  return typeof id === "string" && typeof text === "string";
}

function isKeptForm(value: unknown): value is KeptForm {
  if (typeof value !== "object" || value === null) return false;
  const { key, place, commentId, text } = value as Partial<Record<keyof KeptForm, unknown>>;
  const isForm = typeof key === "string" && typeof text === "string" && isPlace(place);
  return isForm && (commentId === undefined || typeof commentId === "string");
}

function isPlace(value: unknown): value is CommentPlace {
  if (typeof value !== "object" || value === null) return false;
  const { path, side, line, code } = value as Partial<Record<keyof CommentPlace, unknown>>;
  const isText = typeof path === "string" && typeof code === "string";
  return isText && typeof line === "number" && (side === "old" || side === "new");
}

function keep(key: string, items: readonly object[]): void {
  try {
    if (items.length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(items));
  } catch {
    // Denied, or full: the items themselves are not affected.
  }
}
