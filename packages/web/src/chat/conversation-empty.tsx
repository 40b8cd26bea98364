// What an empty conversation teaches.
import type { ReactNode } from "react";
import { defaultChatUri, type SessionState } from "@holdfast/ahp";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import style from "./conversation.module.css";
import { startTurn } from "./send-message.ts";

const shellTrials = ["ls -la", "/help", "for i in 1 2 3 4 5; do echo line $i; sleep 1; done"];

/** Says what can be written, and offers what can be tried. */
export function ConversationEmpty({ session }: { readonly session: SessionState }): ReactNode {
  const host = useHost();
  const { commands, provider, defaultChat, resource } = session;
  const chat = host.channel(defaultChat ?? defaultChatUri(resource), "chat");
  const trials = provider === "shell" ? shellTrials : [];
  return (
    <div className={style.empty}>
      <h2>Nothing was said yet.</h2>
      {provider === "shell" ? (
        <p>This agent has no model: it runs what you type, one line after the other, and asks before each.</p>
      ) : (
        <p>
          Write what you want done. You can leave: the agent works on, and what it asks waits for you in the
          inbox.
        </p>
      )}
      {trials.length > 0 && (
        <ul aria-label="Things to try">
          {trials.map((text) => (
            <li key={text}>
              <button
                type="button"
                className={control.button}
                onClick={() => void host.heed(startTurn(chat, { text }))}
              >
                <code>{text}</code>
              </button>
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
