// Operations on approvals: the pending ones of all sessions, and decisions on them.
import type { InputRequest } from "@holdfast/ahp";
import { type PendingApproval, permissionOption, success } from "@holdfast/protocol";
import type { HostPort, WaitingQuestion } from "../host-port.ts";
import type { Handlers } from "./operation-routes.ts";
import { permissionRequest } from "./tool-call-events.ts";

type ApprovalOperation =
  | "listApprovals"
  | "resolveApproval"
  | "resolvePermission"
  | "listPermissionRules"
  | "removePermissionRule";

export function approvalHandlers(host: HostPort): Pick<Handlers, ApprovalOperation> {
  return {
    listApprovals: (_input, { caller }) =>
      success({ approvals: host.approvals.list(caller).map(describeWaiting) }),
    resolveApproval: ({ params, body }, { caller }) =>
      success({ ...host.approvals.resolve(undefined, { requestId: params.id, ...body }, caller) }),
    resolvePermission: ({ params, body }, { caller }) =>
      success({ ...host.approvals.resolve(params.key, body, caller) }),
    listPermissionRules: (_input, { caller }) => success({ rules: host.approvals.listRules(caller) }),
    removePermissionRule: async ({ params }, { caller }) => {
      await host.approvals.removeRule(params.id, caller);
      return success({});
    },
  };
}

function describeWaiting(question: WaitingQuestion): PendingApproval {
  const { sessionKey, requestedAt } = question;
  const place = { session_key: sessionKey, requestedAt };
  if (question.kind === "form") return { ...describeForm(question.request), ...place };
  const { toolCall } = question;
  return { ...permissionRequest(toolCall, toolCall.approval).data, ...place };
}

/** A form as a permission request, so that one list holds both; its fields are added. */
function describeForm(request: InputRequest): Omit<PendingApproval, "session_key" | "requestedAt"> {
  const { id, message = "", url, questions, requestedSchema, toolCallId, expiresAt = null } = request;
  const isVisit = url !== undefined;
  // A form is not accepted without its content, so no program takes that for a plain yes.
  const options = [
    { optionId: "accept", name: "Accept", kind: isVisit ? "allow_once" : "accept" },
    { optionId: "decline", name: "Decline", kind: "reject_once" },
    { optionId: "cancel", name: "Cancel", kind: "cancel" },
  ].map(permissionOption);
  return {
    requestId: id,
    action: isVisit ? "visit" : "answer",
    target: url ?? message,
    options,
    expiresAt,
    kind: isVisit ? "url" : "form",
    title: message,
    ...(toolCallId !== undefined && { toolCallId }),
    ...(url !== undefined && { url }),
    ...(questions !== undefined && { questions: [...questions] }),
    ...(requestedSchema !== undefined && { requestedSchema }),
  };
}
