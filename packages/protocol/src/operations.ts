// The table of operations: all of the app API.
import { listAgents } from "./operations/agent.ts";
import { denyApp, grantApp, listApps, removeApp } from "./operations/app.ts";
import {
  listApprovals,
  listPermissionRules,
  removePermissionRule,
  resolveApproval,
  resolvePermission,
} from "./operations/approval.ts";
import { getAuditChain, listAudit } from "./operations/audit.ts";
import {
  commitChanges,
  diffChanges,
  listChanges,
  revertChanges,
  stageChanges,
  unstageChanges,
} from "./operations/changes.ts";
import { getPolicy } from "./operations/policy.ts";
import { createTicket, listClients } from "./operations/client.ts";
import { listProcesses } from "./operations/process.ts";
import { readUsage } from "./operations/usage.ts";
import { createKey, listKeys, revokeKey } from "./operations/key.ts";
import { searchSessions } from "./operations/search.ts";
import {
  closeSession,
  createSession,
  getSession,
  listSessions,
  patchSession,
  reopenSession,
} from "./operations/session.ts";
import {
  claimTerminal,
  createTerminal,
  interruptTerminal,
  killTerminal,
  listTerminals,
  readTerminal,
  resizeTerminal,
  streamTerminal,
  writeTerminal,
} from "./operations/terminal.ts";
import { createSignInLink, listSignIns, revokeSignIn } from "./operations/sign-in.ts";
import { cancelTurn, chat, streamChat, streamEvents } from "./operations/turn.ts";
import {
  createWebhook,
  deleteWebhook,
  listDeadLetters,
  listWebhooks,
  redeliver,
} from "./operations/webhook.ts";

/** Every operation of the app API by its name. */
export const OPERATIONS = {
  listAgents,
  createSession,
  getSession,
  listSessions,
  patchSession,
  closeSession,
  reopenSession,
  chat,
  streamChat,
  streamEvents,
  cancelTurn,
  resolvePermission,
  listApprovals,
  resolveApproval,
  listPermissionRules,
  removePermissionRule,
  searchSessions,
  listChanges,
  diffChanges,
  revertChanges,
  stageChanges,
  unstageChanges,
  commitChanges,
  createTerminal,
  listTerminals,
  readTerminal,
  streamTerminal,
  writeTerminal,
  resizeTerminal,
  claimTerminal,
  interruptTerminal,
  killTerminal,
  createKey,
  listKeys,
  revokeKey,
  createTicket,
  createSignInLink,
  listSignIns,
  revokeSignIn,
  listApps,
  grantApp,
  denyApp,
  removeApp,
  listAudit,
  getAuditChain,
  getPolicy,
  listClients,
  listProcesses,
  readUsage,
  createWebhook,
  listWebhooks,
  deleteWebhook,
  listDeadLetters,
  redeliver,
} as const;

/** The type of the table, for maps with one entry per operation. */
export type Operations = typeof OPERATIONS;

/** The name of one operation. */
export type OperationName = keyof Operations;
