// A question for permission: what exactly would be done, and the answers that the agent offers.
import { useRef, useState, type ReactNode } from "react";
import {
  isAllowing,
  makeId,
  type Approval,
  type ApprovalDecision,
  type ApprovalOption,
  type ChatUri,
  type PermissionScope,
  type PendingToolCall,
  type TurnId,
} from "@holdfast/ahp";
import { focusMessageField } from "../chat/message-focus.ts";
import { secondsWords, useNow } from "../frame/time-words.ts";
import { useHost, useIsReachable } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import style from "./approval-card.module.css";
import { AnswerState, answerNotSent } from "./answer-state.tsx";
import { useAnswerKeys } from "./answer-keys.ts";
import { pauseAnswers, useAnswerPause } from "./answer-pause.ts";
import { useCurrentQuestion } from "./current-question.ts";
import { watchEcho } from "./lone-letter.ts";
import { otherDecision } from "./decision-words.ts";
import { SubjectView } from "./subject-view.tsx";
import { visibleText } from "./visible-text.ts";

export interface ApprovalCardProps {
  readonly call: PendingToolCall;
  readonly turnId: TurnId;
  readonly chatUri: ChatUri;
}

/** Needs the approval's id as its key: a second approval for the same call is another question (Z1010). */
export function ApprovalCard({ call, turnId, chatUri }: ApprovalCardProps): ReactNode {
  const host = useHost();
  const [isAnswered, setIsAnswered] = useState(false);
  const isPaused = useAnswerPause();
  const isReachable = useIsReachable();
  const { approval, toolCallId } = call;
  const card = useRef<HTMLDivElement>(null);
  const buttons = buttonsOf(approval);
  const answer = async (option: ApprovalOption, scope?: PermissionScope): Promise<void> => {
    setIsAnswered(true);
    pauseAnswers();
    focusMessageField();
    const decision: ApprovalDecision = {
      approvalId: approval.id,
      outcome: isAllowing(option.kind) ? "approved" : "denied",
      optionId: option.id,
      by: { kind: "client", clientId: makeId("client", host.clientId) },
      at: new Date().toISOString(),
      ...(scope !== undefined && { scope }),
    };
    const action = { type: "chat/toolCallConfirmed", turnId, toolCallId, decision } as const;
    // Nothing runs until the host says so.
    const outcome = await host.channel(chatUri, "chat").dispatch(action, { isHidden: true });
    if (outcome.status === "confirmed") return;
    const words = otherDecision(host, chatUri, approval.id);
    if (outcome.status === "rejected" && words !== undefined) host.notices.say("news", words);
    else await host.reportRejection(Promise.resolve(outcome));
    setIsAnswered(false);
  };
  const { isCurrent, isOneOfSeveral } = useCurrentQuestion(card);
  const buttonOf = (key: string): OptionButton | undefined => buttons.find((each) => each.keys === key);
  useAnswerKeys(card, isCurrent, {
    isAnswer: (key) => !isAnswered && buttonOf(key) !== undefined,
    isOpen: !isPaused,
    give: (key) => {
      const button = buttonOf(key);
      if (!isReachable) host.notices.say("problem", answerNotSent);
      else if (button !== undefined) void answer(button.option, button.scope);
      watchEcho(key);
    },
    onEarly: (key) =>
      host.notices.say("news", `“${key}” was typed before the question could be read. It answered nothing.`),
  });
  return (
    <div
      ref={card}
      className={style.card}
      role="group"
      tabIndex={-1}
      aria-current={isCurrent && isOneOfSeveral}
      aria-label={`Permission: ${approval.action} ${approval.target}`}
    >
      <Question call={call} />
      <SubjectView approval={approval} />
      <div className={style.options}>
        {buttons.map(({ option, label, scope, keys }) => (
          <Button
            key={option.id + (scope ?? "")}
            kind={option.kind === "allow_once" ? "primary" : "plain"}
            title={option.agentLabel === undefined ? undefined : `The agent calls it: ${option.agentLabel}`}
            aria-keyshortcuts={isCurrent ? keys : undefined}
            disabled={isAnswered || isPaused || !isReachable}
            onClick={() => void answer(option, scope)}
          >
            {label}
            {isCurrent && keys !== undefined && (
              <kbd className={style.key} aria-hidden="true">
                {keys}
              </kbd>
            )}
          </Button>
        ))}
        <Expiry expiresAt={approval.expiresAt} />
      </div>
      <AnswerState isAnswered={isAnswered} />
    </div>
  );
}

function Question({ call }: { readonly call: PendingToolCall }): ReactNode {
  const folder = folderOf(call);
  return (
    <p className={style.question}>
      {questions[call.approval.action] ?? "Allow this action"}
      {folder !== undefined && (
        <>
          {" "}
          in <code>{folder}</code>
        </>
      )}
      ?
    </p>
  );
}

type AnswerKey = "y" | "a" | "n";

interface OptionButton {
  readonly option: ApprovalOption;
  readonly label: string;
  readonly scope?: PermissionScope;
  /** The key that does the same: of several buttons of one kind, the first has it. */
  readonly keys?: AnswerKey;
}

const answerKeys: Readonly<Partial<Record<string, AnswerKey>>> = {
  allow_once: "y",
  allow_always: "a",
  reject_once: "n",
};

/** A button for each option; what is allowed for always can hold in the session or in its folder. */
function buttonsOf({ options, subject }: Approval): OptionButton[] {
  const isKept =
    subject?.kind === "command"
      ? subject.line !== undefined
      : subject?.kind === "write" && subject.files.length > 0;
  const made = options.flatMap((option): OptionButton[] => {
    const label = visibleText(option.label);
    if (option.kind !== "allow_always" || !isKept) return [{ option, label }];
    return [
      { option, label: `${label} in this session`, scope: "session" },
      { option, label: `${label} in this folder`, scope: "folder" },
    ];
  });
  return made.map((button, index) => {
    const keys = answerKeys[button.option.kind];
    const isFirst = made.findIndex(({ option }) => option.kind === button.option.kind) === index;
    return keys !== undefined && isFirst ? { ...button, keys } : button;
  });
}

/** Questions by kind of tool call, without the folder and the question mark. */
const questions: Readonly<Partial<Record<string, string>>> = {
  execute: "Run this command",
  edit: "Allow this file change",
  delete: "Delete this file",
  move: "Move this file",
  read: "Read this file",
  search: "Run this search",
  fetch: "Fetch this address",
};

function Expiry({ expiresAt }: { readonly expiresAt: string | undefined }): ReactNode {
  const nowMs = useNow(1000, expiresAt !== undefined);
  if (expiresAt === undefined) return null;
  const leftMs = Math.max(0, Date.parse(expiresAt) - nowMs);
  return <span className={style.expiry}>Auto-denies in {secondsWords(leftMs)}</span>;
}

/** The folder in which a command would run. */
function folderOf({ approval, rawInput }: PendingToolCall): string | undefined {
  if (approval.subject?.kind === "command") return visibleText(approval.subject.cwd);
  if (approval.action !== "execute") return undefined;
  if (typeof rawInput !== "object" || rawInput === null || !("cwd" in rawInput)) return undefined;
  return typeof rawInput.cwd === "string" ? rawInput.cwd : undefined;
}
