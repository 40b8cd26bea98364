// One part of what an agent gave back.
import type { ReactNode } from "react";
import type { ChatUri, ResponsePart, TurnId } from "@holdfast/ahp";
import control from "../style/control.module.css";
import style from "./conversation.module.css";
import { InputForm } from "./input-form.tsx";
import { MarkdownText } from "./markdown-text.tsx";
import { ToolCallCard } from "./tool-call-card.tsx";

/** A part with where it stands. */
export interface PartViewProps {
  readonly part: ResponsePart;
  readonly turnId: TurnId;
  readonly isOpen: boolean;
  readonly chatUri: ChatUri;
  readonly onGrow: (() => void) | undefined;
}

/** The part. */
export function PartView({ part, turnId, isOpen, chatUri, onGrow }: PartViewProps): ReactNode {
  switch (part.kind) {
    case "markdown":
      return <MarkdownText text={part.content} />;
    case "reasoning":
      return <Thought text={part.content} isOpen={isOpen} />;
    case "toolCall":
      return <ToolCallCard call={part.toolCall} turnId={turnId} chatUri={chatUri} onGrow={onGrow} />;
    case "inputRequest":
      return <InputForm part={part} chatUri={chatUri} />;
    case "systemNotification":
      return (
        <div className={style.notice}>
          {part.notice.title}
          {part.notice.description !== undefined && <> · {part.notice.description}</>}
        </div>
      );
    case "contentRef":
      return <ContentRef uri={part.uri} contentType={part.contentType ?? "file"} />;
  }
}

/** A picture as it is; of anything else, what and where it is. */
function ContentRef({ uri, contentType }: { readonly uri: string; readonly contentType: string }): ReactNode {
  if (contentType.startsWith("image/") && uri.startsWith("data:image/")) {
    return <img className={style.picture} src={uri} alt="Shown by the agent" />;
  }
  return (
    <span className={style.reference}>
      <span className={control.chip}>{contentType}</span> {uri.startsWith("data:") ? "" : uri}
    </span>
  );
}

/** A thought, folded; its first line says what it is about. */
function Thought({ text, isOpen }: { readonly text: string; readonly isOpen: boolean }): ReactNode {
  const [firstLine = ""] = text.trim().split("\n", 1);
  return (
    <details className={style.thought}>
      <summary>
        {isOpen ? "thinks: " : "thought: "}
        {firstLine.length > 90 ? `${firstLine.slice(0, 90)}…` : firstLine}
      </summary>
      <div>
        <MarkdownText text={text} />
      </div>
    </details>
  );
}
