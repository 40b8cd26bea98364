// The ways to go on with what is being written.
import type { ReactNode } from "react";
import type { Completion } from "./completion.ts";
import style from "./composer.module.css";

/** What is offered, and which one is marked. */
export interface CompletionListProps {
  readonly id: string;
  readonly completions: readonly Completion[];
  /** The index of the one that is marked; -1: none. */
  readonly marked: number;
  readonly onChoose: (completion: Completion) => void;
}

/** A list above the field; the field keeps the focus. */
export function CompletionList({ id, completions, marked, onChoose }: CompletionListProps): ReactNode {
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
