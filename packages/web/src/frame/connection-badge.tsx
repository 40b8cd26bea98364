// How the page stands with its host, always to be seen.
import type { ClientStatus } from "@holdfast/ahp/client";
import { type ReactNode, useEffect, useState } from "react";
import { useConnection } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import style from "./connection-badge.module.css";
import { TimeSince } from "./time-since.tsx";

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
        <span className={style.latency} title="Latency">
          {latencyMs === undefined ? "–" : latencyMs < 1 ? "<1" : Math.round(latencyMs)} ms
        </span>
      )}
    </div>
  );
}

/** A banner while the host cannot be reached: what is wrong, and what to do. */
export function LostHost(): ReactNode {
  const { status, wasConnected } = useConnection();
  const isSignInLost = useSignInLost(status);
  if (status.status === "closed") {
    return (
      <Banner title="The page and the host have different versions" action={<ReloadButton />}>
        Reload the page; if that does not help, restart the host.
      </Banner>
    );
  }
  if (isSignInLost) {
    return (
      <Banner title="Signed out">
        This browser is not signed in any more: it was signed out, or the host&rsquo;s token has changed. Run{" "}
        <code>holdfast open</code>, or <a href="/">enter the token</a>. What you have written is kept in this
        tab.
      </Banner>
    );
  }
  if (status.status === "not-responding") {
    return (
      <Banner title="Host not responding">
        Silent for <TimeSince startedAt={new Date(status.silentSinceMs).toISOString()} />. What you see may be
        out of date. If this lasts, restart the host: run <code>holdfast stop</code>, then{" "}
        <code>holdfast</code>.
      </Banner>
    );
  }
  if (status.status !== "waiting") return null;
  return wasConnected ? (
    <Banner title="Disconnected. Reconnecting…">What runs on the host keeps running.</Banner>
  ) : (
    <Banner title="Cannot reach the host">
      Check that it is running, then open the address that it printed.
    </Banner>
  );
}

interface BannerProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

function Banner({ title, children, action }: BannerProps): ReactNode {
  return (
    <Notice kind="attention" shape="banner" isAlert title={title} actions={action}>
      <p>{children}</p>
    </Notice>
  );
}

function ReloadButton(): ReactNode {
  return (
    <Button size="small" onClick={() => location.reload()}>
      Reload
    </Button>
  );
}

function wordOf({ status }: ClientStatus): string {
  switch (status) {
    case "connected":
      return "Connected";
    case "connecting":
    case "idle":
      return "Connecting…";
    case "not-responding":
      return "Not responding";
    case "waiting":
      return "Disconnected";
    case "closed":
      return "Cannot connect";
  }
}

/** Whether the host refuses this page; a browser does not report why a WebSocket was not opened. */
function useSignInLost(status: ClientStatus): boolean {
  const [isLost, setIsLost] = useState(false);
  const attempt = status.status === "waiting" ? status.attempt : -1;
  const isConnected = status.status === "connected";
  useEffect(() => {
    if (isConnected) setIsLost(false);
    if (attempt < 0) return undefined;
    const asking = new AbortController();
    fetch("/sdk/ping", { headers: { "x-holdfast-page": "1" }, signal: asking.signal }).then(
      ({ status: answer }) => setIsLost(answer === 401),
      // Nobody answers at all: that is another matter.
      () => undefined,
    );
    return () => asking.abort();
  }, [attempt, isConnected]);
  return isLost;
}
