// A view before the host has sent its content: it never says that there is nothing.
import type { ReactNode } from "react";
import { useConnection } from "../host/use-host.ts";
import { StatusDot } from "../ui/status.tsx";
import style from "./waiting.module.css";

interface WaitingProps {
  /** The work that is under way, such as "Opening the session…". */
  readonly text: string;
  /** Whether nothing else is in the place, so that this is its heading. */
  readonly isAlone?: boolean;
}

/** Says what the page waits for: the host itself, while there is no connection to it (Z911). */
export function Waiting({ text, isAlone = false }: WaitingProps): ReactNode {
  const { status } = useConnection().status;
  const isConnecting = status === "connecting" || status === "idle";
  const isLost = !isConnecting && status !== "connected";
  const Line = isAlone ? "h1" : "p";
  return (
    <Line className={style.waiting}>
      {!isLost && <StatusDot state="running" />}
      {isLost ? "This view loads when the host is back." : isConnecting ? "Connecting to the host…" : text}
    </Line>
  );
}
