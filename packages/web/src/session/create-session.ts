// Opens a session on the host, with what was chosen for it.
import { defaultChatUri, makeId, sessionUri, type ApprovalPolicy, type SessionUri } from "@holdfast/ahp";
import { startTurn } from "../chat/send-message.ts";
import type { HostConnection } from "../host/host-connection.ts";
import { randomId } from "../host/random-id.ts";
import { fileUriOf } from "./session-words.ts";

/** What is chosen for a session. */
export interface SessionWish {
  readonly provider: string;
  /** An absolute path; the host's own choice if left out. */
  readonly folder?: string | undefined;
  /** Absent: the agent's questions are put to people. */
  readonly policy?: ApprovalPolicy | undefined;
  readonly firstMessage?: string | undefined;
}

/** Opens a session; rejects with a sentence for people. */
export async function createSession(host: HostConnection, wish: SessionWish): Promise<SessionUri> {
  const uri = sessionUri(makeId("session", randomId()));
  const { provider, folder, policy, firstMessage } = wish;
  await host.client.request("createSession", {
    channel: uri,
    provider,
    ...(folder !== undefined && { workingDirectories: [fileUriOf(folder)] }),
  });
  if (policy !== undefined) {
    const change = { type: "session/runtimeOptionsChanged", changes: { approvalPolicy: policy } } as const;
    await host.heed(host.channel(uri, "session").dispatch(change));
  }
  if (firstMessage !== undefined) {
    void host.heed(startTurn(host.channel(defaultChatUri(uri), "chat"), { text: firstMessage }));
  }
  return uri;
}
