// What a person sent.
import type { ReactNode } from "react";
import type { Attachment, Message } from "@holdfast/ahp";
import control from "../style/control.module.css";
import style from "./conversation.module.css";

/** A message with what came along with it. */
export function MessageView({ message }: { readonly message: Message }): ReactNode {
  const { text, attachments = [] } = message;
  return (
    <div className={style.message} role="group" aria-label="Your message">
      {text}
      {attachments.length > 0 && (
        <div className={style.attachments}>
          {attachments.map((attachment, index) => (
            <AttachmentView key={index} attachment={attachment} />
          ))}
        </div>
      )}
    </div>
  );
}

function AttachmentView({ attachment }: { readonly attachment: Attachment }): ReactNode {
  if (attachment.type === "embeddedResource" && attachment.contentType.startsWith("image/")) {
    return <img src={`data:${attachment.contentType};base64,${attachment.data}`} alt={attachment.label} />;
  }
  return <span className={control.chip}>{attachment.label}</span>;
}
