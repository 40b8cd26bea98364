// The comments on the lines of a view, and the form of a new one: the same for a diff and for a whole file.
import { type ReactNode, useCallback, useMemo, useRef } from "react";
import { CommentForm, CommentView } from "./comment-view.tsx";
import type { DiffLine } from "./diff-rows.ts";
import { isAt, type OpenForm, type ReviewComment, useReviewComments } from "./review-comments.ts";

/** What stands below a line: a comment, or the form of one that is being written. */
export type LineNote =
  | { readonly kind: "comment"; readonly key: string; readonly comment: ReviewComment }
  | { readonly kind: "form"; readonly key: string; readonly form: OpenForm };

/** Comments of one view. */
export interface LineComments {
  /** The same list until a comment changes, or a form opens or closes. */
  readonly notes: readonly LineNote[];
  /** Opens the form for a line. */
  readonly open: (path: string, line: DiffLine) => void;
  /** Draws a note. */
  readonly show: (note: LineNote) => ReactNode;
}

export function useLineComments(sessionKey: string): LineComments {
  const { store, comments, forms } = useReviewComments(sessionKey);
  const opener = useRef<Element>(null);
  /** The key of the form that opens now. */
  const fresh = useRef<string>(undefined);
  // The lists draw thousands of lines, which keep their handlers.
  const open = useCallback(
    (path: string, { side, number, text }: DiffLine): void => {
      opener.current = document.activeElement;
      fresh.current = store.openNew({ path, side, line: number, code: text });
    },
    [store],
  );
  const notes = useMemo(() => notesOf(comments, forms), [comments, forms]);
  const closed = (): void => {
    // Else the keys that follow would be shortcuts of the whole page, with no place to continue from.
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
  return {
    notes,
    open,
    show: (note) =>
      note.kind === "comment" ? (
        <CommentView
          key={note.key}
          comment={note.comment}
          onEdit={() => {
            opener.current = null;
            fresh.current = store.openChange(note.comment);
          }}
          onRemove={() => store.remove([note.comment.id])}
        />
      ) : (
        <CommentForm
          key={note.key}
          form={note.form}
          text={store.textIn(note.key)}
          isFresh={() => {
            const isFresh = fresh.current === note.key;
            if (isFresh) fresh.current = undefined;
            return isFresh;
          }}
          onWrite={(text) => store.write(note.key, text)}
          onSave={(text) => {
            store.save(note.form, text);
            closed();
          }}
          onCancel={() => {
            store.closeForm(note.key);
            closed();
          }}
        />
      ),
  };
}

/** Whether a note stands below a line; a row of a diff may have one of each side. */
export function isNoteAt(note: LineNote, path: string, ...lines: readonly (DiffLine | undefined)[]): boolean {
  const place = note.kind === "comment" ? note.comment : note.form.place;
  return lines.some((line) => isAt(place, path, line));
}

/** The form of a new comment stands below the comments of its line; one that changes a comment, in its place. */
function notesOf(comments: readonly ReviewComment[], forms: readonly OpenForm[]): readonly LineNote[] {
  const written = comments.map((comment): LineNote => {
    const form = forms.find(({ commentId }) => commentId === comment.id);
    return form === undefined
      ? { kind: "comment", key: comment.id, comment }
      : { kind: "form", key: form.key, form };
  });
  const fresh = forms.filter(({ commentId }) => commentId === undefined);
  return [...written, ...fresh.map((form): LineNote => ({ kind: "form", key: form.key, form }))];
}
