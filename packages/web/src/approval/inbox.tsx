// Everything in all sessions that waits for a person.
import { BellIcon, InboxIcon } from "@primer/octicons-react";
import { useState, type ReactNode } from "react";
import type { SessionInputRequest, SessionSummary } from "@holdfast/ahp";
import { needsOf } from "../session/attention-signs.ts";
import { canAskForNotifications } from "../session/notifications.ts";
import { routeHash } from "../frame/route.ts";
import { agoWords, useNow } from "../frame/time-words.ts";
import { InputForm } from "../chat/input-form.tsx";
import { ToolContentView } from "../chat/tool-content-view.tsx";
import { useChannel } from "../host/use-host.ts";
import { pathOf, sessionName } from "../session/session-words.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { ApprovalCard } from "./approval-card.tsx";
import { FinishedSessions } from "./finished-sessions.tsx";
import style from "./inbox.module.css";

export function Inbox({ sessions }: { readonly sessions: readonly SessionSummary[] }): ReactNode {
  const { asking, finished } = needsOf(sessions);
  return (
    <div className={style.inbox}>
      <header className={style.head}>
        <h1>Inbox</h1>
        <NotificationButton />
      </header>
      {asking.length === 0 && (
        <EmptyState icon={<InboxIcon size={24} />} title="No pending approvals or questions">
          Approvals and questions from all sessions wait here until someone answers or they expire.
        </EmptyState>
      )}
      {asking.map((session) => (
        <AskingSession key={session.resource} session={session} />
      ))}
      <FinishedSessions sessions={finished} />
    </div>
  );
}

function AskingSession({ session }: { readonly session: SessionSummary }): ReactNode {
  const view = useChannel(session.resource, "session");
  const nowMs = useNow(10_000);
  const requests = view.status === "live" ? view.state.inputNeeded : [];
  const [oldest] = requests.map(requestedAt).toSorted();
  return (
    <section className={style.session} aria-label={sessionName(session)}>
      <h2>
        <a href={routeHash({ place: "session", session: session.resource })}>{sessionName(session)}</a>
        <span className={style.detail}>
          {" "}
          {session.provider} · {pathOf(session.workingDirectories[0])}
          {oldest !== undefined && ` · asked ${askedWords(oldest, nowMs)}`}
        </span>
      </h2>
      {requests.map((request) => (
        <Request key={request.id} request={request} />
      ))}
    </section>
  );
}

function Request({ request }: { readonly request: SessionInputRequest }): ReactNode {
  if (request.kind === "toolConfirmation") {
    const { toolCall, turnId, chat } = request;
    return (
      <div className={style.request}>
        {toolCall.approval.subject?.kind !== "write" &&
          toolCall.content.map((content, index) => (
            <ToolContentView key={index} content={content} onGrow={undefined} />
          ))}
        <ApprovalCard key={toolCall.approval.id} call={toolCall} turnId={turnId} chatUri={chat} />
      </div>
    );
  }
  return <InputForm part={{ kind: "inputRequest", request: request.request }} chatUri={request.chat} />;
}

function requestedAt(request: SessionInputRequest): string {
  return request.kind === "toolConfirmation"
    ? request.toolCall.approval.requestedAt
    : request.request.requestedAt;
}

function askedWords(at: string, nowMs: number): string {
  const words = agoWords(at, nowMs);
  return words === "now" ? "just now" : `${words} ago`;
}

function NotificationButton(): ReactNode {
  const [canAsk, setCanAsk] = useState(canAskForNotifications);
  if (!canAsk) return null;
  return (
    <Button
      kind="quiet"
      size="small"
      icon={<BellIcon />}
      onClick={() => void Notification.requestPermission().then(() => setCanAsk(false))}
    >
      Notify me when this page is hidden
    </Button>
  );
}
