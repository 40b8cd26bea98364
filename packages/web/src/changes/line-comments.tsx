// The comments on the lines of a view, and the form of a new one: the same for a diff and for a whole file.
import { type ReactNode, useMemo, useRef, useState } from "react";
import { CommentForm, CommentView } from "./comment-view.tsx";
import type { DiffLine } from "./diff-rows.ts";
import { type CommentPlace, isAt, type ReviewComment, useReviewComments } from "./review-comments.ts";

/** What stands below a line: a comment, or the form of a new one. */
export type LineNote =
  | { readonly kind: "comment"; readonly key: string; readonly comment: ReviewComment }
  | { readonly kind: "form"; readonly key: string; readonly place: CommentPlace };

/** Comments of one view, of which one at a time is being written. */
export interface LineComments {
  /** The same list until a comment or the form changes. */
  readonly notes: readonly LineNote[];
  /** Opens the form for a line. */
  readonly open: (path: string, line: DiffLine) => void;
  /** Draws a note. */
  readonly show: (note: LineNote) => ReactNode;
}

export function useLineComments(sessionKey: string): LineComments {
  const { store, comments } = useReviewComments(sessionKey);
  const [place, setPlace] = useState<CommentPlace>();
  const opener = useRef<Element>(null);
  // The lists draw thousands of lines, which keep their handlers.
  const [open] = useState(() => (path: string, { side, number, text }: DiffLine): void => {
    opener.current = document.activeElement;
    setPlace({ path, side, line: number, code: text });
  });
  const notes = useMemo(() => notesOf(comments, place), [comments, place]);
  const close = (): void => {
    setPlace(undefined);
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
          onChange={(text) => store.change(note.comment.id, text)}
          onRemove={() => store.remove([note.comment.id])}
        />
      ) : (
        <CommentForm
          key={note.key}
          place={note.place}
          onSave={(text) => {
            store.add(note.place, text);
            close();
          }}
          onCancel={close}
        />
      ),
  };
}

/** Whether a note stands below a line; a row of a diff may have one of each side. */
export function isNoteAt(note: LineNote, path: string, ...lines: readonly (DiffLine | undefined)[]): boolean {
  const place = note.kind === "comment" ? note.comment : note.place;
  return lines.some((line) => isAt(place, path, line));
}

/** The form stands below the comments of its line. */
function notesOf(comments: readonly ReviewComment[], place: CommentPlace | undefined): readonly LineNote[] {
  const written = comments.map((comment): LineNote => ({ kind: "comment", key: comment.id, comment }));
  if (place === undefined) return written;
  return [...written, { kind: "form", key: `form\n${place.path}\n${place.side}\n${place.line}`, place }];
}
