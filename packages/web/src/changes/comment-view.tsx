// A comment on a line: written, shown, changed, removed.
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { isComposing } from "../ui/composing.ts";
import style from "./diff-list.module.css";
import type { OpenForm, ReviewComment } from "./review-comments.ts";

interface CommentFormProps {
  readonly form: OpenForm;
  /** The text at first. */
  readonly text: string;
  /** Whether it has just been opened: one that comes back into view does not take the focus. */
  readonly isFresh: () => boolean;
  readonly onWrite: (text: string) => void;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** Ctrl+Enter adds the comment, Escape closes the form. */
export function CommentForm(props: CommentFormProps): ReactNode {
  const { form, text: before, isFresh, onWrite, onSave, onCancel } = props;
  const { place, commentId } = form;
  const [text, setText] = useState(before);
  const field = useRef<HTMLTextAreaElement>(null);
  // At once, or the keys that follow would be shortcuts of the page.
  useLayoutEffect(() => {
    if (isFresh()) field.current?.focus();
  }, []);
  const save = (): void => {
    if (text.trim() !== "") onSave(text.trim());
  };
  const press = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={style.comment}>
      <textarea
        ref={field}
        className={style.commentField}
        aria-label={`Comment on ${place.path}, line ${place.line}`}
        placeholder="What should the agent change or explain?"
        rows={2}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          onWrite(target.value);
        }}
        onKeyDown={press}
      />
      <div className={style.commentActions}>
        <span className={style.hint}>Sent to the agent together with your other comments</span>
        <span className={style.commentButtons}>
          <Button size="small" kind="quiet" onClick={onCancel}>
            Cancel
          </Button>
          <Button size="small" kind="primary" disabled={text.trim() === ""} onClick={save}>
            {commentId === undefined ? "Add comment" : "Save comment"}
          </Button>
        </span>
      </div>
    </div>
  );
}

interface CommentViewProps {
  readonly comment: ReviewComment;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

export function CommentView({ comment, onEdit, onRemove }: CommentViewProps): ReactNode {
  return (
    <article className={style.comment} aria-label={`Your comment on line ${comment.line}`}>
      <p className={style.commentText}>{comment.text}</p>
      <div className={style.commentActions}>
        <span className={style.hint}>Not sent yet</span>
        <Button size="small" kind="quiet" onClick={onEdit}>
          Edit
        </Button>
        <Button size="small" kind="quiet" onClick={onRemove}>
          Remove
        </Button>
      </div>
    </article>
  );
}
