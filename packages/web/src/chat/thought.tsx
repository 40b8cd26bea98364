// A thought of an agent, folded; its first line says what it is about.
import type { ReactNode } from "react";
import { Fold } from "../ui/fold.tsx";
import { MarkdownText } from "./markdown-text.tsx";
import style from "./conversation.module.css";

const maxLineChars = 110;

interface ThoughtProps {
  readonly text: string;
  readonly isOpen: boolean;
}

export function Thought({ text, isOpen }: ThoughtProps): ReactNode {
  const [firstLine = ""] = text.trim().split("\n", 1);
  const line = firstLine.replaceAll(/[*_`#]+/g, "").trim();
  const words = line.length > maxLineChars ? `${line.slice(0, maxLineChars)}…` : line;
  return (
    <Fold
      label={`${isOpen ? "Thinking" : "Thought"}: ${words}`}
      summary={
        <span className={style.thoughtLine}>
          {isOpen ? "Thinking" : "Thought"} · {words}
        </span>
      }
    >
      <div className={style.thought}>
        <MarkdownText text={text} />
      </div>
    </Fold>
  );
}
