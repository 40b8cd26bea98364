// Sessions in the inbox that need nobody: how the last turn of each ended since somebody looked (Z971).
import { CheckCircleIcon, CircleSlashIcon, StopIcon, XCircleIcon } from "@primer/octicons-react";
import { type ChatState, defaultChatUri, type SessionSummary, type ToolCall } from "@holdfast/ahp";
import type { ReactNode } from "react";
import { toolCallTitle } from "../chat/tool-call-words.ts";
import { routeHash } from "../frame/route.ts";
import { agoWords, useNow } from "../frame/time-words.ts";
import { useChannel, useHost } from "../host/use-host.ts";
import { phaseWords, sessionName } from "../session/session-words.ts";
import { Button } from "../ui/button.tsx";
import style from "./inbox.module.css";
import { visibleText } from "./visible-text.ts";

/** To name what was denied, the page follows the conversation of a session; of so many it does. */
const maxFollowed = 20;

export function FinishedSessions({ sessions }: { readonly sessions: readonly SessionSummary[] }): ReactNode {
  const host = useHost();
  if (sessions.length === 0) return null;
  const newestFirst = sessions.toSorted((one, other) =>
    other.lastActivityAt.localeCompare(one.lastActivityAt),
  );
  const markAll = (): void => {
    for (const { resource } of sessions) {
      const action = { type: "session/isReadChanged", isRead: true } as const;
      void host.reportRejection(host.channel(resource, "session").dispatch(action));
    }
  };
  return (
    <section className={style.session} aria-label="Finished">
      <h2>
        Finished{" "}
        <Button size="small" kind="quiet" onClick={markAll}>
          Mark all as read
        </Button>
      </h2>
      <ul className={style.finished}>
        {newestFirst.map((session, index) =>
          index < maxFollowed ? (
            <FollowedSession key={session.resource} session={session} />
          ) : (
            <FinishedSession key={session.resource} session={session} outcome={outcomeOf(session)} />
          ),
        )}
      </ul>
    </section>
  );
}

function FollowedSession({ session }: { readonly session: SessionSummary }): ReactNode {
  const view = useChannel(defaultChatUri(session.resource), "chat");
  const outcome = outcomeOf(session, view.status === "live" ? view.state : undefined);
  return <FinishedSession session={session} outcome={outcome} />;
}

interface FinishedSessionProps {
  readonly session: SessionSummary;
  readonly outcome: Outcome;
}

function FinishedSession({ session, outcome }: FinishedSessionProps): ReactNode {
  const nowMs = useNow(30_000);
  return (
    <li data-outcome={outcome.kind}>
      {icons[outcome.kind]}
      <a href={routeHash({ place: "session", session: session.resource })}>{sessionName(session)}</a>
      <span className={style.detail}>
        <span className={style.outcome}>{outcome.text}</span> · {session.provider} ·{" "}
        {agoWords(session.lastActivityAt, nowMs)}
      </span>
    </li>
  );
}

/** How a turn ended, for the person who left it alone. */
interface Outcome {
  readonly kind: "finished" | "denied" | "stopped" | "failed";
  readonly text: string;
}

const icons: Readonly<Record<Outcome["kind"], ReactNode>> = {
  finished: <CheckCircleIcon />,
  denied: <CircleSlashIcon />,
  stopped: <StopIcon />,
  failed: <XCircleIcon />,
};

function outcomeOf({ phase }: SessionSummary, chat?: ChatState): Outcome {
  const { text, tone } = phaseWords(phase);
  if (tone === "bad") return { kind: "failed", text };
  const turn = chat?.turns.at(-1);
  const calls =
    turn?.responseParts.flatMap((part) => (part.kind === "toolCall" ? [part.toolCall] : [])) ?? [];
  const denied = calls.filter(isDenied);
  const [first] = denied;
  if (first !== undefined) return { kind: "denied", text: deniedWords(first, denied.length) };
  if (turn?.end.state === "cancelled") return { kind: "stopped", text: "Stopped" };
  return { kind: "finished", text: "Finished" };
}

function isDenied(call: ToolCall): boolean {
  return call.status === "cancelled" && (call.reason === "denied" || call.reason === "expired");
}

function deniedWords(call: ToolCall, count: number): string {
  const isExpired = call.status === "cancelled" && call.reason === "expired";
  const words = `${isExpired ? "Expired" : "Denied"}: ${visibleText(toolCallTitle(call))}`;
  return count === 1 ? words : `${words} and ${count - 1} more`;
}
