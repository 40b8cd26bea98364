// How far an answer to a question is: it cannot be sent, is sent, or waits for the host (Z970).
import type { ReactNode } from "react";
import { useIsReachable } from "../host/use-host.ts";
import style from "./answer-state.module.css";

/** Said where a key was pressed that cannot answer now. */
export const answerNotSent =
  "Disconnected: the answer was not sent. Answer again when the page has reconnected.";

export function AnswerState({ isAnswered }: { readonly isAnswered: boolean }): ReactNode {
  const isReachable = useIsReachable();
  if (isReachable && !isAnswered) return null;
  return (
    <p className={style.state} role="status" data-delayed={isReachable}>
      {isReachable
        ? "Waiting for the host to confirm…"
        : isAnswered
          ? "Disconnected. The host has not confirmed your answer yet."
          : "Disconnected. You can answer when the page has reconnected."}
    </p>
  );
}
