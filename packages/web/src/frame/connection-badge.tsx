// How the page stands with its host, always to be seen.
import type { ReactNode } from "react";
import type { ClientStatus } from "@holdfast/ahp/client";
import { useConnection } from "../host/use-host.ts";
import { useSignInLost } from "../host/use-sign-in-lost.ts";
import style from "./connection-badge.module.css";

/** A dot, a word and the latency. */
export function ConnectionBadge(): ReactNode {
  const { status, latencyMs } = useConnection();
  const isConnected = status.status === "connected";
  return (
    <div
      className={style.badge}
      data-status={status.status}
      role="status"
      aria-label="Connection to the host"
    >
      <span className={style.dot} aria-hidden="true" />
      <span>{wordOf(status)}</span>
      {isConnected && (
        <span className={style.latency} title="The last sign of life, there and back">
          {latencyMs === undefined ? "–" : latencyMs < 1 ? "<1" : Math.round(latencyMs)} ms
        </span>
      )}
    </div>
  );
}

/** A band that says what is so while there is no connection, and what to do. */
export function LostHost(): ReactNode {
  const { status, wasConnected } = useConnection();
  const isSignInLost = useSignInLost(status);
  if (status.status === "closed") {
    return (
      <p className={style.lost} role="alert">
        This page and the host do not speak the same version. Reload the page; if that does not help, start
        the host again.
      </p>
    );
  }
  if (isSignInLost) {
    return (
      <p className={style.lost} role="alert">
        The host does not know this page any more: its token has changed. Open the address that it prints at
        its start, or <a href="/">show the token again</a>.
      </p>
    );
  }
  if (status.status !== "waiting") return null;
  return (
    <p className={style.lost} role="alert">
      {wasConnected
        ? "The connection to the host is lost. What you see is as it was; the page comes back by itself."
        : "The host does not answer. Is it running? Open the address that it printed at its start, with the token in it."}
    </p>
  );
}

function wordOf({ status }: ClientStatus): string {
  switch (status) {
    case "connected":
      return "Connected";
    case "connecting":
    case "idle":
      return "Connecting …";
    case "waiting":
      return "No connection";
    case "closed":
      return "Cannot connect";
  }
}
