// Operations on browsers' sign-ins, and the links that make them.
import { rightsEntry } from "@holdfast/core";
import { HostError, success } from "@holdfast/protocol";
import { signInClientId } from "../auth/sign-ins.ts";
import { signInPath } from "../page/sign-in-link.ts";
import type { KeyHandlerDeps } from "./key.ts";
import type { Handlers } from "./operation-routes.ts";

type SignInOperation = "createSignInLink" | "listSignIns" | "revokeSignIn";

export function signInHandlers({
  access: { signIns, signInTickets },
  audit,
}: Pick<KeyHandlerDeps, "access" | "audit">): Pick<Handlers, SignInOperation> {
  return {
    createSignInLink: (_input, { clientId }) => {
      const { ticket, expiresAt } = signInTickets.issue(clientId);
      audit.record(rightsEntry({ what: "ticket", subject: "sign-in link", by: `client ${clientId}` }));
      return success({ path: signInPath(ticket), expiresAt });
    },
    listSignIns: (_input, { clientId }) => {
      const listed = signIns.list();
      const current = listed.find(({ id }) => signInClientId(id) === clientId)?.id;
      return success({ signIns: listed, ...(current !== undefined && { current }) });
    },
    revokeSignIn: ({ params: { id } }, { clientId }) => {
      const signIn = signIns.revoke(id);
      if (signIn === undefined) {
        throw new HostError(
          "NOT_FOUND",
          "There is no sign-in with this id. List the sign-ins to see which exist.",
        );
      }
      const subject = `${id} ${signIn.device}`;
      audit.record(rightsEntry({ what: "sign-in", subject, by: `client ${clientId}`, outcome: "revoked" }));
      return success({ signIn });
    },
  };
}
