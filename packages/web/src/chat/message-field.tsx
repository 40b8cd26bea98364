// The field in which a message is written, with its completions.
import { useId, useRef, useState, type ClipboardEvent, type KeyboardEvent, type ReactNode } from "react";
import type { Attachment, ChatUri } from "@holdfast/ahp";
import { CompletionList } from "./completion-list.tsx";
import { insert, type Completion } from "./completion.ts";
import style from "./composer.module.css";
import { useCompletions } from "./use-completions.ts";

/** What stands in the field, and what is told of it. */
export interface MessageFieldProps {
  readonly chat: ChatUri;
  readonly text: string;
  readonly placeholder: string;
  readonly onChange: (text: string) => void;
  readonly onSend: () => void;
  /** A file was chosen that is to be sent along. */
  readonly onAttach: (attachment: Attachment) => void;
  readonly onPaste: (files: FileList) => void;
}

/** The field: Enter sends, Shift+Enter is a new line, arrows and Tab choose a completion, Escape none. */
export function MessageField(props: MessageFieldProps): ReactNode {
  const { chat, text, placeholder, onChange, onSend, onAttach, onPaste } = props;
  const listId = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const [marked, setMarked] = useState(-1);
  /** The text for which the person did not want any. */
  const [declinedFor, setDeclinedFor] = useState<string>();
  const offered = useCompletions(chat, text, caret).slice(0, 8);
  const completions = declinedFor === text ? [] : offered;
  const chosen = completions[marked];

  const choose = (completion: Completion): void => {
    // More may have been written since they were asked for.
    const inserted = insert(text, { ...completion, rangeEnd: Math.max(completion.rangeEnd, caret) });
    if (completion.attachment !== undefined) onAttach(completion.attachment);
    onChange(inserted.text);
    setCaret(inserted.caret);
    setMarked(-1);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (completions.length > 0 && step !== 0) {
      setMarked((marked + step + completions.length) % completions.length);
    } else if (event.key === "Tab" && !event.shiftKey && completions[0] !== undefined) {
      choose(chosen ?? completions[0]);
    } else if (event.key === "Escape" && completions.length > 0) {
      setDeclinedFor(text);
    } else if (event.key === "Enter" && !event.shiftKey) {
      if (chosen === undefined) onSend();
      else choose(chosen);
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <CompletionList id={listId} completions={completions} marked={marked} onChoose={choose} />
      <textarea
        ref={field}
        className={style.field}
        aria-label="Message"
        aria-autocomplete="list"
        aria-controls={completions.length > 0 ? listId : undefined}
        aria-activedescendant={chosen === undefined ? undefined : `${listId}-${marked}`}
        placeholder={placeholder}
        rows={1}
        value={text}
        autoFocus
        onChange={({ target }) => {
          onChange(target.value);
          setCaret(target.selectionStart);
          setMarked(-1);
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
        onKeyDown={press}
        onPaste={(event: ClipboardEvent) => onPaste(event.clipboardData.files)}
      />
    </>
  );
}
