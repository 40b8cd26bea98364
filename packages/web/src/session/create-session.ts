// Opens a session on the host, with what was chosen for it.
import {
  agentSessionUri,
  defaultChatUri,
  makeId,
  type ApprovalPolicy,
  type RuntimeOptions,
  type SessionUri,
} from "@holdfast/ahp";
import { startTurn } from "../chat/send-message.ts";
import type { HostConnection } from "../host/host-connection.ts";
import { randomId } from "../host/client-id.ts";
import { fileUriOf } from "./session-words.ts";

export interface NewSession {
  readonly provider: string;
  /** An absolute path; the host's own choice if left out. */
  readonly folder?: string | undefined;
  /** Absent: the agent's own choice. */
  readonly model?: string | undefined;
  /** Absent: the agent's questions are put to people. */
  readonly policy?: ApprovalPolicy | undefined;
  /** MCP servers of the host, by their names. */
  readonly mcpServers?: readonly string[] | undefined;
  /** The level of isolation; absent: the host's default. */
  readonly isolation?: string | undefined;
  readonly firstMessage?: string | undefined;
}

/** Opens a session; rejects with a sentence for people. */
export async function createSession(host: HostConnection, session: NewSession): Promise<SessionUri> {
  const { provider, folder, model, policy, mcpServers = [], isolation, firstMessage } = session;
  const uri = agentSessionUri(provider, makeId("session", randomId()));
  await host.client.request("createSession", {
    channel: uri,
    provider,
    ...(folder !== undefined && { workingDirectories: [fileUriOf(folder)] }),
    config: {
      // With the session, so that no moment passes without it.
      ...(policy !== undefined && { approvalPolicy: policy }),
      ...(mcpServers.length > 0 && { mcpServers }),
      ...(isolation !== undefined && { isolation }),
    },
  });
  if (model !== undefined) await setOptions(host, uri, { model });
  if (firstMessage !== undefined) {
    void host.reportRejection(startTurn(host.channel(defaultChatUri(uri), "chat"), { text: firstMessage }));
  }
  return uri;
}

async function setOptions(
  host: HostConnection,
  uri: SessionUri,
  changes: Pick<RuntimeOptions, "model">,
): Promise<void> {
  const action = { type: "session/runtimeOptionsChanged", changes } as const;
  await host.reportRejection(host.channel(uri, "session").dispatch(action));
}
