// A thought of an agent, folded; its first line says what it is about.
import type { ReactNode } from "react";
import { Fold } from "../ui/fold.tsx";
import { MarkdownText } from "./markdown-text.tsx";
import style from "./conversation.module.css";
import { thoughtLine } from "./thought-line.ts";

interface ThoughtProps {
  readonly text: string;
  readonly isOpen: boolean;
}

export function Thought({ text, isOpen }: ThoughtProps): ReactNode {
  const line = thoughtLine(text);
  return (
    <Fold
      label={`${isOpen ? "Thinking" : "Thought"}: ${line}`}
      summary={
        <span className={style.thoughtLine}>
          {isOpen ? "Thinking" : "Thought"} · {line}
        </span>
      }
    >
      <div className={style.thought}>
        <MarkdownText text={text} />
      </div>
    </Fold>
  );
}
