// How the page stands with its host, always to be seen.
import type { ReactNode } from "react";
import type { ConnectionView } from "../host/host-connection.ts";
import { useConnection } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import style from "./connection-badge.module.css";
import { TimeSince } from "./time-since.tsx";

/** A dot, a word and the latency. */
export function ConnectionBadge(): ReactNode {
  const connection = useConnection();
  const { status, latencyMs } = connection;
  const isConnected = status.status === "connected";
  return (
    <div
      className={style.badge}
      data-status={status.status}
      role="status"
      aria-label="Connection to the host"
    >
      <span className={style.dot} aria-hidden="true" />
      <span>{stateName(connection)}</span>
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
  if (status.status === "closed") {
    return (
      <Banner title="The page and the host have different versions" action={<ReloadButton />}>
        Reload the page; if that does not help, restart the host.
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
    <Banner title="Disconnected. Reconnecting…">Your sessions keep running on the host.</Banner>
  ) : (
    <Banner title="Cannot reach the host">
      The page reconnects when the host is back. Check that the host is running and that this device can
      connect to it.
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

/** The state in the words of its banner (Z934). */
function stateName({ status, wasConnected }: ConnectionView): string {
  switch (status.status) {
    case "connected":
      return "Connected";
    case "connecting":
    case "idle":
      return "Connecting…";
    case "not-responding":
      return "Host not responding";
    case "waiting":
      return wasConnected ? "Disconnected" : "Cannot reach the host";
    case "closed":
      return "Different versions";
  }
}
