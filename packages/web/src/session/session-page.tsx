// One session: its header, its conversation, and where to write.
import {
  asksBeforeActing,
  type ChatState,
  type ChatUri,
  defaultChatUri,
  type ErrorInfo,
  findToolCall,
  ROOT_URI,
  type SessionInputRequest,
  type SessionState,
  type SessionUri,
  type TurnId,
} from "@holdfast/ahp";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { ApprovalCard } from "../approval/approval-card.tsx";
import { Composer, QueueList } from "../chat/composer.tsx";
import { Conversation } from "../chat/conversation.tsx";
import { OwnCommands } from "../chat/own-commands.tsx";
import { useWholeChat } from "../chat/whole-chat.ts";
import { goTo, routeHash, type SessionRoute } from "../frame/route.ts";
import { Waiting } from "../frame/waiting.tsx";
import { browserName } from "../host/client-id.ts";
import { useChannel, useConnection, useHost } from "../host/use-host.ts";
import { CircleSlashIcon } from "@primer/octicons-react";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Notice } from "../ui/notice.tsx";
import { TabPanel } from "../ui/tabs.tsx";
import { CodeText } from "../ui/code-text.tsx";
import { deleteSession, reopenSession } from "./closed-sessions.ts";
import { InstallHint } from "./missing-agents.tsx";
import { createSession, type NewSession } from "./create-session.ts";
import { PlainHeader, SessionHeader } from "./session-header.tsx";
import style from "./session-page.module.css";
import { pathOf } from "./session-words.ts";
import { useSignInOffer } from "./sign-in-offer.tsx";
import { viewOf } from "./session-tabs.tsx";

// Few sessions are looked at for their changes first (Z5).
const ChangesPage = lazy(() => import("../changes/changes-page.tsx"));
const SessionTerminals = lazy(async () => {
  const { SessionTerminals: terminals } = await import("./session-terminals.tsx");
  return { default: terminals };
});

/** A session, or what is to be said where it is not there. */
export function SessionPage({ route }: { readonly route: SessionRoute }): ReactNode {
  const session = useChannel(route.session, "session");
  if (session.status === "loading") return <Waiting text="Opening the session…" isAlone />;
  if (session.status === "gone") {
    return (
      <div className={style.page}>
        <PlainHeader title="Session" />
        <EmptyState
          icon={<CircleSlashIcon size={24} />}
          title="Session not found"
          action={<a href={routeHash({ place: "home" })}>Back to sessions</a>}
        >
          It may have been deleted, or the link is wrong.
        </EmptyState>
      </div>
    );
  }
  return <OpenSession session={session.state} route={route} />;
}

interface OpenSessionProps {
  readonly session: SessionState;
  readonly route: SessionRoute;
}

function OpenSession({ session, route }: OpenSessionProps): ReactNode {
  usePresence(session);
  const chatUri = session.defaultChat ?? defaultChatUri(session.resource);
  const chat = useChannel(chatUri, "chat");
  const { chat: state, loadEarlier } = useWholeChat(chat.status === "live" ? chat.state : undefined);
  useRead(session);
  return (
    <div className={style.page}>
      <SessionHeader session={session} route={route} />
      <SessionNotes session={session} chat={state} />
      {session.lifecycle.status === "closed" && <ReopenWatch session={session.resource} chat={chatUri} />}
      <TabPanel id={viewOf(route)}>
        {state === undefined ? (
          <Waiting text={chat.status === "gone" ? chat.reason : "Loading the conversation…"} />
        ) : route.view === undefined ? (
          <ConversationView
            session={session}
            chat={state}
            message={route.message}
            onLoadEarlier={loadEarlier}
          />
        ) : (
          <Suspense fallback={<Waiting text="Loading…" />}>
            {route.view === "changes" ? (
              <ChangesPage route={route} session={session} chat={state} />
            ) : (
              <SessionTerminals session={session.resource} />
            )}
          </Suspense>
        )}
      </TabPanel>
    </div>
  );
}

interface ConversationViewProps {
  readonly session: SessionState;
  readonly chat: ChatState;
  readonly message: TurnId | undefined;
  readonly onLoadEarlier: () => void;
}

function ConversationView({ session, chat, message, onLoadEarlier }: ConversationViewProps): ReactNode {
  const [sentCount, setSentCount] = useState(0);
  const { status } = session.lifecycle;
  return (
    <>
      <Conversation
        key={chat.resource}
        session={session}
        chat={chat}
        sentCount={sentCount}
        message={message}
        onLoadEarlier={onLoadEarlier}
      />
      <OwnCommands session={session.resource} />
      <QueueList chat={chat} />
      {status === "closed" && <ClosedNote session={session} />}
      {status !== "closed" && status !== "failed" && (
        <Composer session={session} chat={chat} onSend={() => setSentCount((count) => count + 1)} />
      )}
    </>
  );
}

/** Notes that concern the session as a whole. */
function SessionNotes({
  session,
  chat,
}: {
  readonly session: SessionState;
  readonly chat: ChatState | undefined;
}): ReactNode {
  const { lifecycle, contextLoss } = session;
  return (
    <>
      {lifecycle.status === "failed" && (
        <FailedStart session={session} error={lifecycle.error} unsent={chat?.turns.at(-1)?.message.text} />
      )}
      {lifecycle.status === "stale" && lifecycle.cause === "host-restarted" && (
        <Notice shape="banner" title="The host restarted">
          What this session ran has ended. Send a message to continue.
        </Notice>
      )}
      {lifecycle.status === "stale" && lifecycle.cause === "reopened" && (
        <Notice shape="banner" title="Reopened">
          {session.agent?.resume === "none"
            ? "This agent cannot resume its sessions. With your next message it starts without the earlier context."
            : "The agent continues with your next message."}
        </Notice>
      )}
      {!asksBeforeActing(session) && (
        <Notice kind="attention" shape="banner">
          This agent does not ask. It runs commands and changes files itself, and the host cannot stop it.
        </Notice>
      )}
      {looseQuestions(session, chat).map(({ id, toolCall, turnId, chat: chatUri }) => (
        <div key={id} className={style.question}>
          <ApprovalCard key={toolCall.approval.id} call={toolCall} turnId={turnId} chatUri={chatUri} />
        </div>
      ))}
      {contextLoss !== undefined && (
        <Notice shape="banner">The agent restarted without its context: {contextLoss.reason}</Notice>
      )}
    </>
  );
}

type ToolQuestion = Extract<SessionInputRequest, { readonly kind: "toolConfirmation" }>;

/** Questions outside of turns, which the conversation does not show. */
function looseQuestions({ inputNeeded }: SessionState, chat: ChatState | undefined): ToolQuestion[] {
  return inputNeeded.filter(
    (request): request is ToolQuestion =>
      request.kind === "toolConfirmation" &&
      findToolCall(chat?.activeTurn, request.toolCall.toolCallId) === undefined,
  );
}

interface FailedStartProps {
  readonly session: SessionState;
  readonly error: ErrorInfo;
  readonly unsent: string | undefined;
}

/** The agent's output, and a button that starts it again in a new session of the same kind. */
function FailedStart({ session, error, unsent }: FailedStartProps): ReactNode {
  const host = useHost();
  const [isBusy, setIsBusy] = useState(false);
  const { button, terminal, message } = useSignInOffer(error, pathOf(session.workingDirectories[0]));
  const retry = async (): Promise<void> => {
    setIsBusy(true);
    const created = createSession(host, { ...sameChoices(session), firstMessage: unsent });
    if (await host.reportFailure(created)) {
      goTo({ place: "session", session: await created });
      // A session that never started has nothing to keep.
      await host.reportFailure(deleteSession(session.key));
    } else setIsBusy(false);
  };
  return (
    <div className={style.failed}>
      <Notice
        kind="problem"
        isAlert
        title="The agent did not start"
        actions={
          <>
            {button}
            <Button size="small" disabled={isBusy} onClick={() => void retry()}>
              Retry
            </Button>
          </>
        }
        details={
          <>
            <InstallHint agentId={session.provider} />
            {error.stderrTail !== undefined && error.stderrTail.length > 0 && (
              <pre className={style.stderr} aria-label="Error output of the agent">
                {error.stderrTail.join("\n")}
              </pre>
            )}
            {terminal}
          </>
        }
      >
        <p>
          <CodeText text={message} />
        </p>
      </Notice>
    </div>
  );
}

interface ReopenWatchProps {
  readonly session: SessionUri;
  readonly chat: ChatUri;
}

/** The channels of a closed session have no news; when the host lists it again, they are asked for again. */
function ReopenWatch({ session, chat }: ReopenWatchProps): ReactNode {
  const host = useHost();
  const root = useChannel(ROOT_URI, "root");
  const isListed = root.status === "live" && root.state.sessions.some(({ resource }) => resource === session);
  useEffect(() => {
    if (!isListed) return;
    void host.channel(session, "session").refresh();
    void host.channel(chat, "chat").refresh();
  }, [host, isListed, session, chat]);
  return null;
}

/** A closed session can be read and reopened; its settings can be used again. */
function ClosedNote({ session }: { readonly session: SessionState }): ReactNode {
  const host = useHost();
  const [isBusy, setIsBusy] = useState(false);
  // Without a session of the agent there is nothing to continue.
  const hasStarted = session.backendId !== undefined;
  const reopen = async (): Promise<void> => {
    setIsBusy(true);
    await host.reportFailure(reopenSession(host, session.resource));
    setIsBusy(false);
  };
  const openSimilar = async (): Promise<void> => {
    setIsBusy(true);
    const created = createSession(host, sameChoices(session));
    if (await host.reportFailure(created)) goTo({ place: "session", session: await created });
    setIsBusy(false);
  };
  return (
    <Notice
      shape="banner"
      actions={
        <>
          {hasStarted && (
            <Button size="small" disabled={isBusy} onClick={() => void reopen()}>
              Reopen
            </Button>
          )}
          <Button
            size="small"
            kind={hasStarted ? "quiet" : "plain"}
            disabled={isBusy}
            onClick={() => void openSimilar()}
          >
            New session like this
          </Button>
        </>
      }
    >
      {hasStarted
        ? "This session is closed. Its transcript stays here."
        : "This session is closed. Its agent never started, so there is nothing to reopen."}
    </Notice>
  );
}

/** The choices that a session was opened with. */
function sameChoices(session: SessionState): NewSession {
  const { provider, workingDirectories, runtimeOptions, mcpServers, isolation } = session;
  return {
    provider,
    folder: pathOf(workingDirectories[0]),
    model: runtimeOptions.model,
    policy: runtimeOptions.approvalPolicy,
    mcpServers,
    isolation: isolation?.wanted,
  };
}

/** Marks the session as read while the page is looked at; what ends while it is hidden stays unread. */
function useRead({ isRead, resource, lifecycle }: SessionState): void {
  const host = useHost();
  // A closed session accepts no action: each attempt would be undone, and so cause the next one.
  const isSettled = isRead || lifecycle.status === "closed";
  useEffect(() => {
    if (isSettled) return undefined;
    const mark = (): void => {
      if (document.hidden) return;
      // That it was read is no news to the reader, so what becomes of it is not either.
      void host.channel(resource, "session").dispatch({ type: "session/isReadChanged", isRead: true });
    };
    mark();
    document.addEventListener("visibilitychange", mark);
    return () => document.removeEventListener("visibilitychange", mark);
  }, [host, isSettled, resource]);
}

/** Announces the page in a session while it is shown, again after each new connection. */
function usePresence({ resource, lifecycle }: SessionState): void {
  const host = useHost();
  const { status } = useConnection();
  const connected = status.status === "connected" ? status : undefined;
  const isOver = lifecycle.status === "closed";
  useEffect(() => {
    if (connected === undefined || isOver) return undefined;
    const session = host.channel(resource, "session");
    const client = { clientId: host.clientId, displayName: browserName(), tools: [] };
    // Presence is a courtesy: the person at the page loses nothing if it could not be sent.
    void session.dispatch({ type: "session/activeClientSet", client });
    return () => void session.dispatch({ type: "session/activeClientRemoved", clientId: host.clientId });
  }, [host, resource, connected, isOver]);
}
