// The operation that searches sessions.
import { success } from "@holdfast/protocol";
import type { HostPort } from "../host-port.ts";
import type { Handlers } from "./operation-routes.ts";

export function searchHandlers({ search }: HostPort): Pick<Handlers, "searchSessions"> {
  return {
    searchSessions: ({ query }, { caller }) => success({ results: search.find(query, caller) }),
  };
}
