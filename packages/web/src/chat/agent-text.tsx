// Text of an agent, with what can be done with it: copied, quoted.
import { QuoteIcon } from "@primer/octicons-react";
import type { ReactNode } from "react";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import style from "./conversation.module.css";
import { MarkdownText } from "./markdown-text.tsx";
import { quoteInDraft } from "./message-draft.ts";

export interface AgentTextProps {
  readonly text: string;
  /** Whether more comes. */
  readonly isOpen: boolean;
  /** Whether it is the last text of its turn so far. */
  readonly isLast: boolean;
}

export function AgentText({ text, isOpen, isLast }: AgentTextProps): ReactNode {
  return (
    <div className={style.agentText} data-last={isLast}>
      <MarkdownText text={text} />
      {!isOpen && (
        <div className={style.actions}>
          <CopyButton label="Copy text" text={() => text} />
          <IconButton
            label="Quote"
            icon={<QuoteIcon />}
            size="small"
            onClick={() => quoteInDraft(selectedText() ?? text)}
          />
        </div>
      )}
    </div>
  );
}

/** The text that is selected in the page, which a person wants to quote rather than all of it. */
function selectedText(): string | undefined {
  const text = getSelection()?.toString().trim() ?? "";
  return text === "" ? undefined : text;
}
