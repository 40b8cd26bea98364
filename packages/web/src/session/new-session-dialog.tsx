// The dialog for a new session.
import type { SessionSummary } from "@holdfast/ahp";
import type { ReactNode } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { StartBox } from "./start-box.tsx";

interface NewSessionDialogProps {
  readonly sessions: readonly SessionSummary[];
  /** The agent that is chosen at first; undefined: the usual one. */
  readonly agent?: string | undefined;
  readonly onClose: () => void;
}

/** It closes when the session is there, or when it is left. */
export function NewSessionDialog({ sessions, agent, onClose }: NewSessionDialogProps): ReactNode {
  return (
    <Dialog title="New session" size="large" onClose={onClose}>
      <StartBox sessions={sessions} agent={agent} isDetailed onStarted={onClose} />
    </Dialog>
  );
}
