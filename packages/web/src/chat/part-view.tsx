// One part of what an agent gave back.
import { lazy, type ReactNode, Suspense } from "react";
import type { ChatUri, ResponsePart, TextPart, ToolCall, ToolContent, TurnId } from "@holdfast/ahp";
import { useTerminal } from "../host/use-host.ts";
import control from "../style/control.module.css";
import style from "./conversation.module.css";
import { MarkdownText } from "./markdown-text.tsx";
import { ToolCallCard } from "./tool-call-card.tsx";

const InputForm = lazy(async () => ({ default: (await import("./input-form.tsx")).InputForm }));

export interface PartViewProps {
  readonly part: ResponsePart;
  readonly turnId: TurnId;
  readonly isOpen: boolean;
  /** The tool call whose terminal shows the same already. */
  readonly repeated: ToolCall | undefined;
  readonly chatUri: ChatUri;
  readonly onGrow: (() => void) | undefined;
}

export function PartView(props: PartViewProps): ReactNode {
  const { part, turnId, isOpen, repeated, chatUri, onGrow } = props;
  switch (part.kind) {
    case "markdown": {
      const shown = repeated?.content.find((content) => content.type === "terminal");
      return shown === undefined ? (
        <>
          <Omission part={part} />
          <MarkdownText text={part.content} />
        </>
      ) : (
        <RepeatedOutput text={part.content} shown={shown} />
      );
    }
    case "reasoning":
      return <Thought text={part.content} isOpen={isOpen} />;
    case "toolCall":
      return <ToolCallCard call={part.toolCall} turnId={turnId} chatUri={chatUri} onGrow={onGrow} />;
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
      <details className={style.thought}>
        <summary>
          <span className={control.chip}>{contentType}</span> {name}
        </summary>
        <pre>{text}</pre>
      </details>
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
