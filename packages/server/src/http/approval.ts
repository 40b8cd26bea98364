// Operations on approvals: what waits in all sessions, and the answer from whichever connection.
import { success, type PendingApproval } from "@holdfast/protocol";
import type { HostPort, WaitingCall } from "../host-port.ts";
import type { Handlers } from "./operation-routes.ts";
import { permissionRequest } from "./tool-call-events.ts";

const notOpen = "This request is not open: it was answered, expired, or never made.";

/** The handlers of what concerns approvals. */
export function approvalHandlers(host: HostPort): Pick<Handlers, "listApprovals" | "resolveApproval"> {
  return {
    listApprovals: (_input, { caller }) =>
      success({ approvals: host.listApprovals(caller).map(describeWaiting) }),
    resolveApproval: ({ params, body }, { caller }) => {
      const waiting = host.listApprovals(caller).find(({ toolCall }) => toolCall.approval.id === params.id);
      if (waiting === undefined) return success({ resolved: false, reason: notOpen });
      const decision = { requestId: params.id, optionId: body.optionId };
      return success({ ...host.resolvePermission(waiting.sessionKey, decision, caller) });
    },
  };
}

function describeWaiting({ sessionKey, toolCall }: WaitingCall): PendingApproval {
  const { approval } = toolCall;
  const { data } = permissionRequest(toolCall, approval);
  return { ...data, session_key: sessionKey, requestedAt: approval.requestedAt };
}
