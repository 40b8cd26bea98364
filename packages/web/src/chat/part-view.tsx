// One part of what an agent gave back.
import { lazy, type ReactNode, Suspense } from "react";
import type { ChatUri, ResponsePart, TextPart, ToolCall, ToolContent, TurnId } from "@holdfast/ahp";
import { useTerminal } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { Fold } from "../ui/fold.tsx";
import style from "./conversation.module.css";
import { MarkdownText } from "./markdown-text.tsx";
import { AgentText } from "./agent-text.tsx";
import { Thought } from "./thought.tsx";
import { ToolCallCard } from "./tool-call-card.tsx";

const InputForm = lazy(async () => ({ default: (await import("./input-form.tsx")).InputForm }));

export interface PartViewProps {
  readonly part: ResponsePart;
  readonly turnId: TurnId;
  readonly isOpen: boolean;
  /** The tool call whose terminal shows the same already. */
  readonly repeated: ToolCall | undefined;
  readonly chatUri: ChatUri;
  /** Whether it is all that the turn gave back. */
  readonly isAnswer: boolean;
  /** Whether it is the last text of its turn so far. */
  readonly isLastText: boolean;
  readonly onGrow: (() => void) | undefined;
}

export function PartView(props: PartViewProps): ReactNode {
  const { part, turnId, isOpen, repeated, chatUri, isAnswer, isLastText, onGrow } = props;
  switch (part.kind) {
    case "markdown": {
      const shown = repeated?.content.find((content) => content.type === "terminal");
      return shown === undefined ? (
        <>
          <Omission part={part} />
          <AgentText text={part.content} isOpen={isOpen} isLast={isLastText} />
        </>
      ) : (
        <RepeatedOutput text={part.content} shown={shown} />
      );
    }
    case "reasoning":
      return <Thought text={part.content} isOpen={isOpen} />;
    case "toolCall":
      return (
        <ToolCallCard
          call={part.toolCall}
          turnId={turnId}
          chatUri={chatUri}
          isOpenAtFirst={isAnswer}
          onGrow={onGrow}
        />
      );
    case "inputRequest":
      return (
        <Suspense>
          <InputForm part={part} chatUri={chatUri} />
        </Suspense>
      );
    case "systemNotification":
      return (
        <div className={style.notice}>
          {part.notice.title}
          {part.notice.description !== undefined && <> · {part.notice.description}</>}
        </div>
      );
    case "contentRef":
      return <ContentRef uri={part.uri} contentType={part.contentType ?? "file"} name={part.name} />;
  }
}

/** A very long answer: the chat has its end, the events of the turn have all of it. */
function Omission({ part: { omittedChars = 0 } }: { readonly part: TextPart }): ReactNode {
  if (omittedChars === 0) return null;
  return (
    <div className={style.notice}>{omittedChars.toLocaleString("en")} earlier characters are not shown</div>
  );
}

interface ContentRefProps {
  readonly uri: string;
  readonly contentType: string;
  readonly name: string | undefined;
}

/** A picture as it is; a text that came along, folded; of anything else, what and where it is. */
function ContentRef({ uri, contentType, name }: ContentRefProps): ReactNode {
  if (contentType.startsWith("image/") && uri.startsWith("data:image/")) {
    return <img className={style.picture} src={uri} alt={name ?? "Shown by the agent"} />;
  }
  const text = embeddedText(uri);
  if (text !== undefined) {
    return (
      <Fold
        summary={
          <>
            <span className={control.chip}>{contentType}</span> {name}
          </>
        }
      >
        <pre className={style.embedded}>{text}</pre>
      </Fold>
    );
  }
  return (
    <span className={style.reference}>
      <span className={control.chip}>{contentType}</span> {uri.startsWith("data:") ? name : uri}
    </span>
  );
}

/** The text in a `data:` URI; undefined for anything else. */
function embeddedText(uri: string): string | undefined {
  const base64 = /^data:(?:text\/|application\/json)[^,]*;base64,(.*)$/s.exec(uri)?.[1];
  if (base64 === undefined) return undefined;
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0)));
}

/** An agent's copy of a terminal's output: shown only where the output is no longer there. */
function RepeatedOutput({
  text,
  shown,
}: {
  readonly text: string;
  readonly shown: Extract<ToolContent, { type: "terminal" }>;
}): ReactNode {
  const { view } = useTerminal(shown.resource);
  const isLost = view.status === "gone" && shown.result?.preview === undefined;
  return isLost ? <MarkdownText text={text} /> : null;
}
