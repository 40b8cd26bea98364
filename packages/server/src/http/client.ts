// The operation on the clients that are connected over AHP.
import { success, type ConnectedClient } from "@holdfast/protocol";
import type { Handlers } from "./operation-routes.ts";

/** The handler of who is connected; `clients` is asked at each request. */
export function clientHandlers(clients: () => readonly ConnectedClient[]): Pick<Handlers, "listClients"> {
  return {
    listClients: () => success({ clients: [...clients()] }),
  };
}
