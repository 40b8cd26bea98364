// Operations on sessions.
import { success } from "@holdfast/protocol";
import type { HostPort } from "../host-port.ts";
import type { Handlers } from "./operation-routes.ts";

type SessionOperation =
  | "createSession"
  | "getSession"
  | "listSessions"
  | "patchSession"
  | "closeSession"
  | "reopenSession";

export function sessionHandlers(host: HostPort): Pick<Handlers, SessionOperation> {
  return {
    createSession: async ({ body }, { caller }) =>
      success({ session: await host.createSession(body, caller) }),
    getSession: ({ params }, { caller }) => success({ session: host.getSession(params.key, caller) }),
    listSessions: ({ query }, { caller }) => success({ sessions: host.listSessions(caller, query.closed) }),
    patchSession: async ({ params, body }, { caller }) =>
      success({ session: await host.patchSession(params.key, body, caller) }),
    reopenSession: async ({ params }, { caller }) =>
      success({ session: await host.reopenSession(params.key, caller) }),
    closeSession: async ({ params, query, body }, { caller }) => {
      if (query.purge) await host.deleteSession(params.key, caller);
      else await host.closeSession(params.key, body.reason, caller);
      return success({});
    },
  };
}
