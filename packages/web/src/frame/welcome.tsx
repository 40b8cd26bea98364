// First view for a newcomer: what this is, and three things to try.
import type { ReactNode } from "react";
import type { ClientStatus } from "@holdfast/ahp/client";
import { useHost } from "../host/use-host.ts";
import { createSession } from "../session/create-session.ts";
import control from "../style/control.module.css";
import { goTo } from "./route.ts";
import style from "./welcome.module.css";

export interface WelcomeProps {
  readonly hasSessions: boolean;
  readonly status: ClientStatus;
  readonly onNewSession: () => void;
}

const trials = [
  { text: "ls -la", why: "A command: you are asked, and it runs in a live terminal." },
  { text: "/write hello.txt Hello there", why: "A file: shown as a diff before and after." },
  {
    text: "for i in 1 2 3 4; do date; sleep 1; done",
    why: "Something slow: close the page, and come back.",
  },
] as const;

/** The welcome, with the built-in agent one click away. */
export function Welcome({ hasSessions, status, onNewSession }: WelcomeProps): ReactNode {
  const host = useHost();
  const tryIt = async (text: string): Promise<void> => {
    const created = createSession(host, { provider: "shell", policy: "ask", firstMessage: text });
    if (await host.reportFailure(created)) goTo({ place: "session", session: await created });
  };
  return (
    <div className={style.welcome}>
      <h1 className={style.title}>{hasSessions ? "Choose a session, or begin one." : "No sessions yet"}</h1>
      <p className={style.lead}>
        Holdfast runs coding agents and the terminals they work in. Your sessions keep running when you close
        this page, and their history is saved.
      </p>
      <h2>Three things to try, with no model and no key</h2>
      <ul className={style.trials}>
        {trials.map(({ text, why }) => (
          <li key={text} className={style.trial}>
            <button
              type="button"
              className={control.button}
              disabled={status.status !== "connected"}
              onClick={() => void tryIt(text)}
            >
              <code>{text}</code>
            </button>
            <span>{why}</span>
          </li>
        ))}
      </ul>
      <p className={style.lead}>
        Or{" "}
        <button type="button" className={control.button} onClick={onNewSession}>
          choose an agent
        </button>{" "}
        that is installed on this machine.
      </p>
      <p className={style.keys}>
        <kbd>N</kbd> new session · <kbd>I</kbd> inbox · <kbd>T</kbd> terminals · <kbd>O</kbd> host ·{" "}
        <kbd>↑</kbd> <kbd>↓</kbd> move through sessions · <kbd>/</kbd> search
      </p>
    </div>
  );
}
