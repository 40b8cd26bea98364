// The field in which a message is written, with its completions.
import type { Attachment, ChatUri } from "@holdfast/ahp";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { isComposing } from "../ui/composing.ts";
import { type Completion, insert, useCompletions } from "./completion.ts";
import style from "./composer.module.css";
import { hasTouchKeyboard, messageFieldId, noteTyping } from "./message-focus.ts";

interface MessageFieldProps {
  readonly chat: ChatUri;
  readonly text: string;
  readonly placeholder: string;
  /** Earlier messages, the newest first, for the arrow keys. */
  readonly history?: readonly string[];
  readonly onChange: (text: string) => void;
  readonly onSend: () => void;
  /** A file was chosen that is to be sent along. */
  readonly onAttach: (attachment: Attachment) => void;
  readonly onPaste: (files: FileList) => void;
}

/** The field: Enter sends, Shift+Enter is a new line, arrows and Tab choose a completion, Escape none; in an empty field arrows bring earlier messages back. */
export function MessageField(props: MessageFieldProps): ReactNode {
  const { chat, text, placeholder, history = [], onChange, onSend, onAttach, onPaste } = props;
  const listId = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const placeCaret = usePlacedCaret(field);
  const [marked, setMarked] = useState(-1);
  /** The text for which the person did not want any. */
  const [declinedFor, setDeclinedFor] = useState<string>();
  /** The place in the history of the text that is shown; -1: it is none of it. */
  const [recalled, setRecalled] = useState(-1);
  const offered = useCompletions(chat, text, caret).slice(0, 8);
  const completions = declinedFor === text ? [] : offered;
  const chosen = completions[marked];

  const choose = (completion: Completion): void => {
    // More may have been written since they were asked for.
    const inserted = insert(text, { ...completion, rangeEnd: Math.max(completion.rangeEnd, caret) });
    if (completion.attachment !== undefined) onAttach(completion.attachment);
    onChange(inserted.text);
    setCaret(inserted.caret);
    placeCaret(inserted.caret);
    setMarked(-1);
  };
  const recall = (step: number): boolean => {
    const isUntouched = text === "" || text === history[recalled];
    const at = (text === "" ? -1 : recalled) + step;
    if (step === 0 || !isUntouched || at < -1 || at >= history.length) return false;
    setRecalled(at);
    onChange(history[at] ?? "");
    return true;
  };
  const press = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (completions.length > 0 && step !== 0) {
      setMarked((marked + step + completions.length) % completions.length);
    } else if (!event.shiftKey && recall(-step)) {
      setDeclinedFor(history[recalled - step]);
    } else if (event.key === "Tab" && !event.shiftKey && completions[0] !== undefined) {
      choose(chosen ?? completions[0]);
    } else if (event.key === "Escape" && completions.length > 0) {
      setDeclinedFor(text);
    } else if (event.key === "Enter" && !event.shiftKey) {
      // An Enter that was held down on a button, which then gave the focus to the field, must not send a draft.
      if (chosen !== undefined) choose(chosen);
      else if (!event.repeat) onSend();
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <CompletionList id={listId} completions={completions} marked={marked} onChoose={choose} />
      <textarea
        ref={field}
        id={messageFieldId}
        className={style.field}
        aria-label="Message"
        aria-autocomplete="list"
        aria-controls={completions.length > 0 ? listId : undefined}
        aria-activedescendant={chosen === undefined ? undefined : `${listId}-${marked}`}
        placeholder={placeholder}
        rows={1}
        value={text}
        autoFocus={!hasTouchKeyboard}
        onChange={({ target }) => {
          noteTyping();
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

/** Places the caret in a text that is changed at the same time: the browser would leave it at the end. */
function usePlacedCaret(field: RefObject<HTMLTextAreaElement | null>): (caret: number) => void {
  // An object, because the next place may be the same.
  const [placed, setPlaced] = useState<{ readonly caret: number }>();
  useLayoutEffect(() => {
    if (placed !== undefined) field.current?.setSelectionRange(placed.caret, placed.caret);
  }, [field, placed]);
  return (caret) => setPlaced({ caret });
}

interface CompletionListProps {
  readonly id: string;
  readonly completions: readonly Completion[];
  /** The index of the one that is marked; -1: none. */
  readonly marked: number;
  readonly onChoose: (completion: Completion) => void;
}

/** A list above the field; the field keeps the focus. */
function CompletionList({ id, completions, marked, onChoose }: CompletionListProps): ReactNode {
  if (completions.length === 0) return null;
  return (
    <ul id={id} className={style.hints} role="listbox" aria-label="Completions">
      {completions.map((completion, index) => (
        <li
          key={completion.insertText}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === marked}
          className={style.hint}
          // Before the field loses the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(completion);
          }}
        >
          {completion.label}
        </li>
      ))}
    </ul>
  );
}
