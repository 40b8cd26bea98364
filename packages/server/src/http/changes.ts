// Operations on the changes of a session's folder.
import { success } from "@holdfast/protocol";
import type { HostPort } from "../host-port.ts";
import type { Handlers } from "./operation-routes.ts";

type ChangesOperation =
  | "listChanges"
  | "diffChanges"
  | "revertChanges"
  | "stageChanges"
  | "unstageChanges"
  | "commitChanges";

export function changesHandlers({ changes }: HostPort): Pick<Handlers, ChangesOperation> {
  return {
    listChanges: async ({ params, query }, { caller }) =>
      success({ changes: await changes.list(params.key, query.turn, caller) }),
    diffChanges: async ({ params, query }, { caller }) =>
      success({ ...(await changes.diff(params.key, query, caller)) }),
    revertChanges: async ({ params, body }, { caller }) =>
      success({ summary: await changes.revert(params.key, body, caller) }),
    stageChanges: async ({ params, body }, { caller }) => {
      await changes.stage(params.key, body.paths, caller);
      return success({});
    },
    unstageChanges: async ({ params, body }, { caller }) => {
      await changes.unstage(params.key, body.paths, caller);
      return success({});
    },
    commitChanges: async ({ params, body }, { caller }) =>
      success({ commit: await changes.commit(params.key, body, caller) }),
  };
}
