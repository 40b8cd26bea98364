// The table of operations: all of the app API.
import { listAgents } from "./operations/agent.ts";
import { resolvePermission } from "./operations/permission.ts";
import { closeSession, createSession, getSession, listSessions, patchSession } from "./operations/session.ts";
import { cancelTurn, chat, streamChat } from "./operations/turn.ts";

/** Every operation of the app API by its name. */
export const OPERATIONS = {
  listAgents,
  createSession,
  getSession,
  listSessions,
  patchSession,
  closeSession,
  chat,
  streamChat,
  cancelTurn,
  resolvePermission,
} as const;

/** The type of the table, for maps with one entry per operation. */
export type Operations = typeof OPERATIONS;

/** The name of one operation. */
export type OperationName = keyof Operations;
