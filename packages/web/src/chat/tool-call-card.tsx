// A tool call: a line that says what it does and how far it is, and opens what it shows.
import {
  CodeIcon,
  FileIcon,
  GlobeIcon,
  LightBulbIcon,
  PencilIcon,
  SearchIcon,
  TerminalIcon,
  ToolsIcon,
  TrashIcon,
} from "@primer/octicons-react";
import type { ChatUri, ToolCall, TurnId } from "@holdfast/ahp";
import type { ReactNode } from "react";
import { ApprovalCard } from "../approval/approval-card.tsx";
import { TimeSince } from "../frame/time-since.tsx";
import { CommandView } from "../terminal/command-view.tsx";
import { Fold } from "../ui/fold.tsx";
import { KeptScope } from "../ui/kept-state.tsx";
import { Badge, StatusDot } from "../ui/status.tsx";
import type { GroupedPart } from "./conversation-rows.ts";
import { useShownPath } from "./shown-path.ts";
import { Thought } from "./thought.tsx";
import style from "./tool-call-card.module.css";
import { ToolContentView } from "./tool-content-view.tsx";
import { callTimeWords, groupWords, terminalOf, toolCallTitle, toolCallWords } from "./tool-call-words.ts";

interface ToolCallCardProps {
  readonly call: ToolCall;
  readonly turnId: TurnId;
  readonly chatUri: ChatUri;
  /** Whether what it shows is open at first. */
  readonly isOpenAtFirst: boolean;
  readonly onGrow: (() => void) | undefined;
}

export function ToolCallCard(props: ToolCallCardProps): ReactNode {
  const { call, turnId, chatUri, isOpenAtFirst, onGrow } = props;
  const title = toolCallTitle(call);
  const terminal = terminalOf(call);
  return (
    <KeptScope name={call.toolCallId}>
      <article className={style.card} data-status={call.status} aria-label={`Tool call: ${title}`}>
        {showsItself(call) &&
          (terminal !== undefined && call.status !== "cancelled" ? (
            <CommandView call={call} content={terminal} isOpenAtFirst={isOpenAtFirst} onGrow={onGrow} />
          ) : (
            <PlainCall call={call} isOpenAtFirst={isOpenAtFirst} onGrow={onGrow} />
          ))}
        {call.status === "pending-confirmation" && (
          <ApprovalCard key={call.approval.id} call={call} turnId={turnId} chatUri={chatUri} />
        )}
        {call.status === "failed" && call.result.error !== undefined && (
          <p className={style.problem}>{call.result.error.message}</p>
        )}
      </article>
    </KeptScope>
  );
}

/** Whether a call is shown beside its question: the question has the real command or change already. */
function showsItself(call: ToolCall): boolean {
  if (call.status !== "pending-confirmation") return true;
  const { subject } = call.approval;
  if (subject?.kind === "command") return false;
  return subject?.kind !== "write" || subject.files.some(({ diff }) => diff === undefined);
}

type PlainCallProps = Pick<ToolCallCardProps, "call" | "isOpenAtFirst" | "onGrow">;

/** A call without a terminal. */
function PlainCall({ call, isOpenAtFirst, onGrow }: PlainCallProps): ReactNode {
  const shownPath = useShownPath();
  const title = toolCallTitle(call);
  const edits = call.content.filter(({ type }) => type === "fileEdit");
  // Questions and running calls are seen without a click.
  const isOpen = isOpenAtFirst || call.status === "pending-confirmation" || call.status === "running";
  const hasContent = call.content.length > 0 || call.locations.length > 0 || call.rawInput !== undefined;
  const line = (
    <span className={style.line}>
      <span className={style.icon}>{kindIcons[call.toolKind] ?? <ToolsIcon />}</span>
      <span className={style.title} title={title}>
        {shownPath(title)}
      </span>
      <CallState call={call} />
    </span>
  );
  if (!hasContent) return <div className={style.bare}>{line}</div>;
  return (
    // Opened again when it is asked about, and closed when it is done.
    <Fold
      key={String(isOpen)}
      keptAs={`open ${isOpen}`}
      summary={line}
      isOpenAtFirst={isOpen}
      onToggle={onGrow}
    >
      <div className={style.content}>
        {call.locations.length > 0 && edits.length === 0 && (
          <p className={style.places}>
            {call.locations
              .map(({ path, line: number }) => shownPath(number === undefined ? path : `${path}:${number}`))
              .join(" · ")}
          </p>
        )}
        {call.content.map((content, index) => (
          <KeptScope key={index} name={String(index)}>
            <ToolContentView content={content} onGrow={onGrow} />
          </KeptScope>
        ))}
        <ToolInput call={call} />
      </div>
    </Fold>
  );
}

const kindIcons: Readonly<Record<string, ReactNode>> = {
  read: <FileIcon />,
  edit: <PencilIcon />,
  delete: <TrashIcon />,
  search: <SearchIcon />,
  execute: <TerminalIcon />,
  think: <LightBulbIcon />,
  fetch: <GlobeIcon />,
  other: <CodeIcon />,
};

function CallState({ call }: { readonly call: ToolCall }): ReactNode {
  const { text, tone } = toolCallWords(call);
  if (call.status === "completed") {
    return (
      <span className={style.state}>
        <span className="hidden-label">{text}</span>
        {callTimeWords(call)}
      </span>
    );
  }
  return (
    <span className={style.state}>
      {call.status === "running" && <StatusDot state="running" />}
      <Badge tone={tone}>{text}</Badge>
      {call.status === "running" && call.startedAt !== undefined ? (
        <TimeSince startedAt={call.startedAt} />
      ) : (
        callTimeWords(call)
      )}
    </span>
  );
}

/** The input as the agent gave it, behind a disclosure. */
function ToolInput({ call }: { readonly call: ToolCall }): ReactNode {
  if (call.rawInput === undefined) return null;
  return (
    <details className={style.input}>
      <summary>Input</summary>
      <pre tabIndex={0} aria-label="Input of the tool call">
        {JSON.stringify(call.rawInput, undefined, 2)}
      </pre>
    </details>
  );
}

interface ToolGroupProps {
  readonly parts: readonly GroupedPart[];
  readonly turnId: TurnId;
  readonly chatUri: ChatUri;
  readonly onGrow: (() => void) | undefined;
}

/** Several finished calls as one line, which opens a line for each (Z804). */
export function ToolGroup({ parts, turnId, chatUri, onGrow }: ToolGroupProps): ReactNode {
  const calls = parts.flatMap((part) => (part.kind === "toolCall" ? [part.toolCall] : []));
  return (
    <div className={style.group} role="group" aria-label="Tool calls">
      <Fold summary={groupWords(calls)} onToggle={onGrow}>
        <div className={style.calls}>
          {parts.map((part, index) =>
            part.kind === "reasoning" ? (
              <KeptScope key={index} name={String(index)}>
                <Thought text={part.content} isOpen={false} />
              </KeptScope>
            ) : (
              <ToolCallCard
                key={index}
                call={part.toolCall}
                turnId={turnId}
                chatUri={chatUri}
                isOpenAtFirst={false}
                onGrow={onGrow}
              />
            ),
          )}
        </div>
      </Fold>
    </div>
  );
}
