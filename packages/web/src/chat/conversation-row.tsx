// One row of a conversation.
import {
  type ActiveTurn,
  type Attachment,
  type ChatUri,
  type ErrorInfo,
  type Plan,
  type Turn,
  turnParts,
  waitingFor,
} from "@holdfast/ahp";
import { CheckIcon, PencilIcon, SyncIcon, XIcon } from "@primer/octicons-react";
import { memo, type ReactNode, useMemo } from "react";
import { clockWords, durationWords, secondsWords, useNow } from "../frame/time-words.ts";
import { useHost } from "../host/use-host.ts";
import { useSignInOffer } from "../session/sign-in-offer.tsx";
import control from "../style/control.module.css";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { CodeText } from "../ui/code-text.tsx";
import { KeptScope, useKeptChoice } from "../ui/kept-state.tsx";
import { Notice } from "../ui/notice.tsx";
import { StatusDot } from "../ui/status.tsx";
import type { ConversationRow } from "./conversation-rows.ts";
import style from "./conversation.module.css";
import { MarkdownText } from "./markdown-text.tsx";
import { changeDraft } from "./message-draft.ts";
import { PartView } from "./part-view.tsx";
import { startTurn } from "./send-message.ts";
import { SessionFolder } from "./shown-path.ts";
import { ToolGroup } from "./tool-call-card.tsx";

interface ConversationRowProps {
  readonly row: ConversationRow;
  readonly chatUri: ChatUri;
  /** The session's folder. */
  readonly folder: string;
  /** Whether it belongs to the last turn, which is over and can be sent again. */
  readonly isLast: boolean;
  /** Called when the row grows without a change of its props. */
  readonly onGrow: (() => void) | undefined;
  /** Called when a person folds or unfolds the row's message, which leaves the list where it is. */
  readonly onFold: () => void;
}

export const ConversationRowView = memo(function ConversationRowView(props: ConversationRowProps): ReactNode {
  return (
    <KeptScope name={`${props.chatUri} ${props.row.key}`}>
      <RowContent {...props} />
    </KeptScope>
  );
});

function RowContent(props: ConversationRowProps): ReactNode {
  const { row, chatUri, folder, isLast, onGrow, onFold } = props;
  switch (row.kind) {
    case "message":
      return <MessageView turn={row.turn} isLast={isLast} onFold={onFold} />;
    case "plans":
      return row.turn.plans.map((plan) => <PlanView key={plan.id} plan={plan} />);
    case "part":
      return (
        <SessionFolder value={folder}>
          <PartView
            part={row.part}
            turnId={row.turn.id}
            isOpen={row.isOpen}
            repeated={row.repeated}
            chatUri={chatUri}
            isAnswer={row.isAnswer}
            isLastText={row.isLastText}
            onGrow={onGrow}
          />
        </SessionFolder>
      );
    case "group":
      return (
        <SessionFolder value={folder}>
          <ToolGroup parts={row.parts} turnId={row.turn.id} chatUri={chatUri} onGrow={onGrow} />
        </SessionFolder>
      );
    case "working":
      return <WorkingRow turn={row.turn} />;
    case "end":
      return <EndRow turn={row.turn} chatUri={chatUri} folder={folder} isLast={isLast} />;
  }
}

const waitWords = {
  model: "Thinking",
  tool: "Running",
  permission: "Needs approval",
  input: "Needs an answer",
} as const;

function WorkingRow({ turn }: { readonly turn: ActiveTurn }): ReactNode {
  const nowMs = useNow(1000);
  const waits = waitingFor(turn);
  return (
    <div className={style.working}>
      <StatusDot state={waits === "permission" || waits === "input" ? "needs-you" : "running"} />
      {waitWords[waits]} · {secondsWords(nowMs - Date.parse(turn.startedAt))}
    </div>
  );
}

interface TurnEndProps {
  readonly turn: Turn;
  readonly chatUri: ChatUri;
}

interface EndRowProps extends TurnEndProps {
  readonly folder: string;
  readonly isLast: boolean;
}

function EndRow({ turn, chatUri, folder, isLast }: EndRowProps): ReactNode {
  const { end, durationMs, usage } = turn;
  if (end.state === "failed" || end.state === "interrupted") {
    return (
      <FailedEnd
        error={end.error}
        folder={folder}
        retry={isLast && <RetryButton turn={turn} chatUri={chatUri} isResumable={end.resumable} />}
      />
    );
  }
  return (
    <div className={style.end} title={`Started ${clockWords(turn.startedAt)}`}>
      <span>{endWords(turn)}</span>
      {!hasOneTerminal(turn) && <span>{durationWords(durationMs)}</span>}
      {usage?.totalTokens !== undefined && <span>{usage.totalTokens} tokens</span>}
      {usage?.model !== undefined && <span>{usage.model}</span>}
      {isLast && (
        <span className={style.actions}>
          <RetryButton turn={turn} chatUri={chatUri} isResumable={false} isQuiet />
        </span>
      )}
    </div>
  );
}

interface FailedEndProps {
  readonly error: ErrorInfo;
  readonly folder: string;
  readonly retry: ReactNode;
}

function FailedEnd({ error, folder, retry }: FailedEndProps): ReactNode {
  const { button, terminal, message } = useSignInOffer(error, folder);
  const hasOutput = error.stderrTail !== undefined && error.stderrTail.length > 0;
  return (
    <div className={style.endBad}>
      <Notice
        kind="problem"
        isAlert
        actions={
          <>
            {button}
            {retry}
          </>
        }
        details={
          <>
            {hasOutput && <pre>{error.stderrTail.join("\n")}</pre>}
            {terminal}
          </>
        }
      >
        <CodeText text={message} />
      </Notice>
    </div>
  );
}

/** Runs the last turn again; one that cannot be resumed is sent as a new message. */
function RetryButton({
  turn,
  chatUri,
  isResumable,
  isQuiet = false,
}: TurnEndProps & { readonly isResumable: boolean; readonly isQuiet?: boolean }): ReactNode {
  const host = useHost();
  const store = host.channel(chatUri, "chat");
  const retry = (): Promise<boolean> =>
    host.reportRejection(
      isResumable
        ? store.dispatch({ type: "chat/turnResume", turnId: turn.id })
        : startTurn(store, turn.message),
    );
  if (isQuiet) {
    return <IconButton label="Send again" icon={<SyncIcon />} size="small" onClick={() => void retry()} />;
  }
  return (
    <Button size="small" onClick={() => void retry()}>
      Retry
    </Button>
  );
}

/** Whether a turn is one command in a terminal, which has its time already. */
function hasOneTerminal(turn: Turn): boolean {
  const calls = turnParts(turn).flatMap((part) => (part.kind === "toolCall" ? [part.toolCall] : []));
  return calls.length === 1 && calls[0]?.content.some(({ type }) => type === "terminal") === true;
}

function endWords({ end }: Turn): string {
  if (end.state === "cancelled") return end.reason === undefined ? "Stopped" : `Stopped: ${end.reason}`;
  if (end.state !== "complete") return end.state;
  switch (end.stopReason) {
    case "end_turn":
      return "Done";
    case "max_tokens":
      return "Stopped at the token limit";
    case "max_turn_requests":
      return "Stopped at the request limit";
    case "refusal":
      return "Refused by the agent";
    default:
      return `Ended: ${end.stopReason}`;
  }
}

interface MessageViewProps {
  readonly turn: Turn | ActiveTurn;
  readonly isLast: boolean;
  readonly onFold: () => void;
}

/** A longer message is folded after so many lines or characters. */
const foldedMessage = { lines: 30, characters: 3000 };

/** The beginning of a long message; undefined if it is short. */
function beginningOf(text: string): string | undefined {
  const lines = text.split("\n", foldedMessage.lines + 1);
  const beginning = lines.slice(0, foldedMessage.lines).join("\n").slice(0, foldedMessage.characters);
  return beginning.length < text.length ? beginning : undefined;
}

function MessageView({ turn, isLast, onFold }: MessageViewProps): ReactNode {
  const { text, attachments = [] } = turn.message;
  const [isWhole = false, setIsWhole] = useKeptChoice("message");
  const beginning = useMemo(() => beginningOf(text), [text]);
  const fold = (): void => {
    setIsWhole(!isWhole);
    onFold();
  };
  return (
    <div className={style.messagePlace}>
      <div className={style.message} role="group" aria-label="Your message">
        {isWhole || beginning === undefined ? text : `${beginning}…`}
        {beginning !== undefined && (
          <Button kind="quiet" size="small" onClick={fold}>
            {isWhole ? "Show less" : "Show the whole message"}
          </Button>
        )}
        {attachments.length > 0 && (
          <div className={style.attachments}>
            {attachments.map((attachment, index) => (
              <AttachmentView key={index} attachment={attachment} />
            ))}
          </div>
        )}
      </div>
      <div className={style.messageActions}>
        <time dateTime={turn.startedAt}>{clockWords(turn.startedAt)}</time>
        <CopyButton label="Copy message" text={() => text} />
        {isLast && (
          <IconButton
            label="Edit and resend"
            icon={<PencilIcon />}
            size="small"
            onClick={() => changeDraft({ kind: "prepend", text, attachments })}
          />
        )}
      </div>
    </div>
  );
}

function AttachmentView({ attachment }: { readonly attachment: Attachment }): ReactNode {
  if (attachment.type === "embeddedResource" && attachment.contentType.startsWith("image/")) {
    return <img src={`data:${attachment.contentType};base64,${attachment.data}`} alt={attachment.label} />;
  }
  return <span className={control.chip}>{attachment.label}</span>;
}

const signs: Readonly<Record<string, ReactNode>> = {
  completed: <CheckIcon />,
  failed: <XIcon />,
  in_progress: <StatusDot state="running" />,
};

function PlanView({ plan }: { readonly plan: Plan }): ReactNode {
  if (plan.kind === "markdown") {
    return (
      <div className={style.plan} role="group" aria-label="Plan">
        <MarkdownText text={plan.content} />
      </div>
    );
  }
  const done = plan.entries.filter(({ status }) => status === "completed").length;
  const words = `${done} of ${plan.entries.length} steps done`;
  return (
    <div className={style.plan} role="group" aria-label="Plan">
      <div className={style.planHead}>
        <span aria-hidden="true">{words}</span>
        <progress max={plan.entries.length} value={done} aria-label={words} />
      </div>
      <ol>
        {plan.entries.map(({ content, status }, index) => (
          <li key={index} data-status={status}>
            <span className={style.sign} aria-hidden="true">
              {signs[status] ?? <StatusDot state="idle" />}
            </span>
            <span className={style.step}>
              {content}
              {status === "failed" && <span className="hidden-label"> (failed)</span>}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
