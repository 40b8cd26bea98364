// Home: where a session is started, and what the sessions of each project need, do and have done.
import type { SessionSummary } from "@holdfast/ahp";
import { type ReactNode, useState } from "react";
import { useConnection, useHost } from "../host/use-host.ts";
import { useAgents } from "../session/agent-catalogue.ts";
import { firstOfProject, groupByProject, type ProjectGroup } from "../session/attention.ts";
import { createSession } from "../session/create-session.ts";
import { phaseWords, sessionName, workState } from "../session/session-words.ts";
import { StartBox } from "../session/start-box.tsx";
import { Button } from "../ui/button.tsx";
import { Badge, StatusDot } from "../ui/status.tsx";
import style from "./home-page.module.css";
import { goTo, routeHash } from "./route.ts";
import { agoWords, useNow } from "./time-words.ts";

/** The home; `sessions` are not known until the page is connected. */
export function HomePage({
  sessions,
}: {
  readonly sessions: readonly SessionSummary[] | undefined;
}): ReactNode {
  return (
    <div className={style.home}>
      <div className={style.column}>
        <h1 className={style.title}>What do you want done?</h1>
        <StartBox sessions={sessions ?? []} />
        {sessions?.length === 0 && <FirstSteps />}
        <Projects sessions={sessions ?? []} />
      </div>
    </div>
  );
}

function Projects({ sessions }: { readonly sessions: readonly SessionSummary[] }): ReactNode {
  const nowMs = useNow(30_000);
  return groupByProject(sessions).map((project) => (
    <Project key={project.folder} project={project} nowMs={nowMs} />
  ));
}

interface ProjectProps {
  readonly project: ProjectGroup;
  readonly nowMs: number;
}

/** A project: what needs someone, runs or has finished; what is idle, on demand. */
function Project({ project, nowMs }: ProjectProps): ReactNode {
  const [isAll, setIsAll] = useState(false);
  const { folder, name, current, idle } = project;
  const all = [...current, ...idle];
  const shown = isAll ? all : firstOfProject(project, maxRows);
  return (
    <section className={style.project} aria-label={`Project ${name}`}>
      <h2 className={style.heading} title={folder}>
        {name} <span className={style.path}>{folder}</span>
      </h2>
      <ul className={style.rows}>
        {shown.map((session) => (
          <li key={session.resource}>
            <Row session={session} nowMs={nowMs} />
          </li>
        ))}
      </ul>
      {shown.length < all.length && (
        <Button kind="quiet" size="small" onClick={() => setIsAll(true)}>
          Show all {all.length}
        </Button>
      )}
    </section>
  );
}

/** As many sessions of a project as are listed at once. */
const maxRows = 6;

function Row({ session, nowMs }: { readonly session: SessionSummary; readonly nowMs: number }): ReactNode {
  const state = workState(session.phase);
  const words = phaseWords(session.phase);
  const isFinished = state === "idle" && !session.isRead;
  return (
    <a className={style.row} href={routeHash({ place: "session", session: session.resource })}>
      <StatusDot state={state} />
      <span className={style.name}>{sessionName(session)}</span>
      <span className={style.state}>
        {isFinished ? (
          <Badge tone="good">Finished</Badge>
        ) : (
          state !== "idle" && (
            <Badge tone={words.tone}>
              {words.text}
              {session.inputNeededCount > 1 && ` ×${session.inputNeededCount}`}
            </Badge>
          )
        )}
      </span>
      {session.changes !== undefined && session.changes.files > 0 && (
        <span className={style.changes}>
          <span className={style.added}>+{session.changes.additions}</span>{" "}
          <span className={style.removed}>−{session.changes.deletions}</span>
        </span>
      )}
      <span className={style.agent}>{session.provider}</span>
      <time className={style.ago} dateTime={session.lastActivityAt}>
        {agoWords(session.lastActivityAt, nowMs)}
      </time>
    </a>
  );
}

const trials = [
  { text: "ls -la", why: "Run a command: you approve it, and it runs in a live terminal." },
  { text: "/write hello.txt Hello there", why: "Write a file: you see the diff before and after." },
  {
    text: "for i in 1 2 3 4; do date; sleep 1; done",
    why: "Run something slow: close the page and come back.",
  },
] as const;

/** For a newcomer: what Holdfast does, and three things to try where the built-in agent is available (Z930). */
function FirstSteps(): ReactNode {
  const agents = useAgents(false);
  const canTry =
    agents.status === "known" && agents.agents.some(({ id, installed }) => id === "shell" && installed);
  return (
    <section className={style.project} aria-label="First steps">
      <h2 className={style.heading}>No sessions yet</h2>
      <p className={style.lead}>
        Holdfast runs coding agents and the terminals they work in. Sessions keep running when you close this
        page, and their history is saved.
        {canTry && " Three things to try without a model or an API key:"}
      </p>
      {canTry && <Trials />}
    </section>
  );
}

function Trials(): ReactNode {
  const host = useHost();
  const { status } = useConnection();
  const tryIt = async (text: string): Promise<void> => {
    const created = createSession(host, { provider: "shell", policy: "ask", firstMessage: text });
    if (await host.reportFailure(created)) goTo({ place: "session", session: await created });
  };
  return (
    <ul className={style.trials}>
      {trials.map(({ text, why }) => (
        <li key={text}>
          <button
            type="button"
            className={style.trial}
            disabled={status.status !== "connected"}
            onClick={() => void tryIt(text)}
          >
            <code>{text}</code>
            <span>{why}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
