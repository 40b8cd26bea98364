// Where a person writes: what they send begins a turn, or lines up behind the one that is going on.
import { useState, type DragEvent, type ReactNode } from "react";
import type { Attachment, ChatState } from "@holdfast/ahp";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { stillNamed } from "./completion.ts";
import style from "./composer.module.css";
import { MessageField } from "./message-field.tsx";
import { readImages } from "./pasted-image.ts";
import { queueMessage, startTurn, stopTurn } from "./send-message.ts";

/** The field with its buttons. */
export function Composer({ chat }: { readonly chat: ChatState }): ReactNode {
  const host = useHost();
  const [text, setText] = useState("");
  const [images, setImages] = useState<readonly Attachment[]>([]);
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  const store = host.channel(chat.resource, "chat");
  const isBusy = chat.activeTurn !== undefined;

  const send = async (): Promise<void> => {
    if (text.trim() === "" && images.length === 0) return;
    const written = { text, attachments: [...images, ...stillNamed(files, text)] };
    setText("");
    setImages([]);
    setFiles([]);
    const isTaken = await host.heed(isBusy ? queueMessage(store, written) : startTurn(store, written));
    // What was not taken is not lost, unless something else was written meanwhile.
    if (!isTaken) setText((current) => (current === "" ? written.text : current));
  };
  const addImages = (added: Iterable<File>): void => {
    void host.manage(readImages(added).then((read) => setImages((before) => [...before, ...read])));
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    addImages(event.dataTransfer.files);
  };
  return (
    <div className={style.composer} onDrop={drop} onDragOver={(event) => event.preventDefault()}>
      <AttachedImages
        images={images}
        onLeaveOut={(image) => setImages(images.filter((each) => each !== image))}
      />
      <div className={style.line}>
        <MessageField
          chat={chat.resource}
          text={text}
          placeholder={
            isBusy ? "Enter lines it up for when this turn ends" : "Enter sends, Shift+Enter is a new line"
          }
          onChange={setText}
          onSend={() => void send()}
          onAttach={(file) => setFiles([...files, file])}
          onPaste={addImages}
        />
        {isBusy && (
          <button
            type="button"
            className={control.danger}
            onClick={() => void host.heed(stopTurn(store, chat, host.clientId))}
          >
            Stop
          </button>
        )}
        <button type="button" className={control.primary} onClick={() => void send()}>
          {isBusy ? "Queue" : "Send"}
        </button>
      </div>
    </div>
  );
}

interface AttachedImagesProps {
  readonly images: readonly Attachment[];
  readonly onLeaveOut: (image: Attachment) => void;
}

function AttachedImages({ images, onLeaveOut }: AttachedImagesProps): ReactNode {
  if (images.length === 0) return null;
  return (
    <ul className={style.images} aria-label="Pictures to send">
      {images.map((image, index) => (
        <li key={index}>
          <span className={control.chip}>{image.label}</span>
          <button
            type="button"
            className={control.small}
            aria-label={`Leave out ${image.label}`}
            onClick={() => onLeaveOut(image)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}
