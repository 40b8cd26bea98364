// A client of the soak that follows a session and its chat as the page does.
import { defaultChatUri } from "@holdfast/ahp";
import { AhpClient, webSocketTransport } from "@holdfast/ahp/client";
import { WebSocket } from "ws";
import { uriOfKey } from "../../packages/core/src/testing/session-uri.ts";

/** Where a host is. */
export interface SoakHost {
  readonly url: string;
  readonly token: string;
}

/** A session that is followed. */
export interface ViewedSession {
  /** Unsubscribes, so that the host does not wait for the client to come back. */
  close(): void;
}

/** Follows a session until it is closed. */
export async function viewSession({ url, token }: SoakHost, sessionKey: string): Promise<ViewedSession> {
  const address = `${url.replace(/^http/, "ws")}/ahp?tkn=${token}`;
  const client = new AhpClient({
    clientId: `viewer-${sessionKey}`,
    open: () => webSocketTransport(new WebSocket(address)),
  });
  await client.connect();
  const uri = uriOfKey(sessionKey);
  const session = await client.subscribe(uri, "session");
  const chat = await client.subscribe(defaultChatUri(uri), "chat");
  return {
    close(): void {
      session.close();
      chat.close();
      client.close();
    },
  };
}
