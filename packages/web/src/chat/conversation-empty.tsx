// A conversation without messages: what can be written, and what can be tried.
import { defaultChatUri, type SessionState } from "@holdfast/ahp";
import type { ReactNode } from "react";
import { useHost } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import style from "./conversation.module.css";
import { startTurn } from "./send-message.ts";

const shellTrials = ["ls -la", "/help", "for i in 1 2 3 4 5; do echo line $i; sleep 1; done"];

export function ConversationEmpty({ session }: { readonly session: SessionState }): ReactNode {
  const host = useHost();
  const { commands, provider, defaultChat, resource, lifecycle } = session;
  const chat = host.channel(defaultChat ?? defaultChatUri(resource), "chat");
  const trials = provider === "shell" ? shellTrials : [];
  if (lifecycle.status === "failed") return <div className={style.empty} />;
  return (
    <div className={style.empty}>
      <h2>No messages yet</h2>
      {provider === "shell" ? (
        <p>
          This agent has no model: it runs each line that you send as a command. By default it asks before
          each command.
        </p>
      ) : (
        <p>
          Write what you want done. You can close this page: the agent keeps working, and its questions wait
          in the inbox.
        </p>
      )}
      {trials.length > 0 && (
        <ul aria-label="Things to try">
          {trials.map((text) => (
            <li key={text}>
              <Button onClick={() => void host.reportRejection(startTurn(chat, { text }))}>
                <code>{text}</code>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {commands.length > 0 && (
        <p>
          It knows{" "}
          {commands.slice(0, 8).map(({ name }) => (
            <code key={name}>/{name} </code>
          ))}
        </p>
      )}
    </div>
  );
}
