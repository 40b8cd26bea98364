// The status of sessions and chats as AHP has it: one number with the phase in its lower bits.
import type { ChatPhase } from "../../model/chat/chat.ts";
import type { SessionPhase } from "../../model/session/session-summary.ts";

const STATUS_IDLE = 1;
const STATUS_ERROR = 2;
const STATUS_IN_PROGRESS = 8;
const STATUS_INPUT_NEEDED = 24;
const STATUS_IS_READ = 32;
const STATUS_IS_ARCHIVED = 64;

interface Flags {
  readonly isRead: boolean;
  readonly isArchived: boolean;
}

export function chatStatus(phase: ChatPhase, flags: Flags): number {
  if (phase.status === "busy") return withFlags(busyStatus(phase.waitingFor), flags);
  const hasFailed = phase.lastTurn === "failed" || phase.lastTurn === "interrupted";
  return withFlags(hasFailed ? STATUS_ERROR : STATUS_IDLE, flags);
}

export function sessionStatus(phase: SessionPhase, flags: Flags): number {
  if (phase.status === "busy") return withFlags(busyStatus(phase.waitingFor), flags);
  return withFlags(phase.status === "failed" ? STATUS_ERROR : STATUS_IDLE, flags);
}

function busyStatus(waitingFor: string): number {
  return waitingFor === "permission" || waitingFor === "input" ? STATUS_INPUT_NEEDED : STATUS_IN_PROGRESS;
}

function withFlags(status: number, { isRead, isArchived }: Flags): number {
  return status + (isRead ? STATUS_IS_READ : 0) + (isArchived ? STATUS_IS_ARCHIVED : 0);
}
