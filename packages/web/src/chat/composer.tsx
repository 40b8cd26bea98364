// Composer: a message starts a turn, or is queued behind the one that runs.
import type { Attachment, ChatState, PendingMessage } from "@holdfast/ahp";
import { type DragEvent, type ReactNode, useState } from "react";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import { stillNamed } from "./completion.ts";
import { keepDraft, readDraft } from "./draft-store.ts";
import style from "./composer.module.css";
import { focusMessageField } from "./message-focus.ts";
import { MessageField } from "./message-field.tsx";
import { queueMessage, startTurn, stopTurn } from "./send-message.ts";

interface ComposerProps {
  readonly chat: ChatState;
  /** A person sends a message. */
  readonly onSend: () => void;
}

export function Composer({ chat, onSend }: ComposerProps): ReactNode {
  const host = useHost();
  const [text, setText] = useState(() => readDraft(chat.resource));
  /** Files that were pasted or dropped. */
  const [attached, setAttached] = useState<readonly Attachment[]>([]);
  /** Files of the session's folder that the text may name. */
  const [named, setNamed] = useState<readonly Attachment[]>([]);
  const store = host.channel(chat.resource, "chat");
  const isBusy = chat.activeTurn !== undefined;

  const send = async (): Promise<void> => {
    if (text.trim() === "" && attached.length === 0) return;
    const { status } = host.view().status;
    if (status === "waiting" || status === "closed") {
      // It may never come back under this sign-in, and then nobody would send the message.
      host.notices.say("problem", "Disconnected: the message was not sent. It is kept here; send it again.");
      return;
    }
    const written = { text, attachments: [...attached, ...stillNamed(named, text)] };
    setText("");
    setAttached([]);
    setNamed([]);
    onSend();
    const isTaken = await host.reportRejection(
      isBusy ? queueMessage(store, written) : startTurn(store, written),
    );
    if (isTaken) return keepDraft(chat.resource, "");
    // A message that was not accepted is put back, unless something else was written meanwhile.
    setText((current) => (current === "" ? text : current));
    setAttached((current) => [...attached, ...current]);
    setNamed((current) => [...named, ...current]);
  };
  const write = (written: string): void => {
    setText(written);
    keepDraft(chat.resource, written);
  };
  const attach = (added: Iterable<File>): void => {
    void host.reportFailure(readFiles(added).then((read) => setAttached((before) => [...before, ...read])));
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    attach(event.dataTransfer.files);
  };
  return (
    <div className={style.composer} onDrop={drop} onDragOver={(event) => event.preventDefault()}>
      <AttachedFiles
        files={attached}
        onRemove={(file) => setAttached(attached.filter((each) => each !== file))}
      />
      <div className={style.line}>
        <MessageField
          chat={chat.resource}
          text={text}
          placeholder={
            isBusy ? "Enter queues, Shift+Enter adds a line" : "Enter sends, Shift+Enter adds a line"
          }
          onChange={write}
          onSend={() => void send()}
          onAttach={(file) => setNamed([...named, file])}
          onPaste={attach}
        />
        {isBusy && (
          <button
            type="button"
            className={control.danger}
            onClick={() => {
              focusMessageField();
              void host.reportRejection(stopTurn(store, chat, host.clientId));
            }}
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

interface AttachedFilesProps {
  readonly files: readonly Attachment[];
  readonly onRemove: (file: Attachment) => void;
}

function AttachedFiles({ files, onRemove }: AttachedFilesProps): ReactNode {
  if (files.length === 0) return null;
  return (
    <ul className={style.attached} aria-label="Attachments">
      {files.map((file, index) => (
        <li key={index}>
          <span className={control.chip}>{file.label}</span>
          <button
            type="button"
            className={control.small}
            aria-label={`Remove ${file.label}`}
            onClick={() => onRemove(file)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The host's limit for one message, minus space for the rest of it. */
const maxFileBytes = 8 * 1024 * 1024;
/** As much of a file as shows whether it is text. */
const sampleBytes = 8 * 1024;

/** The files as attachments; rejects with a sentence for people when one is too large or cannot be read. */
function readFiles(files: Iterable<File>): Promise<Attachment[]> {
  return Promise.all(Array.from(files, readFile));
}

async function readFile(file: File): Promise<Attachment> {
  const { name, size } = file;
  if (size > maxFileBytes) throw new Error(`${name} is larger than 8 MB. Attach a smaller file.`);
  const contentType = await contentTypeOf(file);
  const url = await readDataUrl(file);
  return {
    type: "embeddedResource",
    label: name === "" ? "picture" : name,
    data: url.slice(url.indexOf(",") + 1),
    contentType,
  };
}

/** The file's type as the browser knows it; otherwise text or bytes. */
async function contentTypeOf(file: File): Promise<string> {
  if (file.type !== "") return file.type;
  const bytes = new Uint8Array(await file.slice(0, sampleBytes).arrayBuffer());
  if (bytes.includes(0)) return "application/octet-stream";
  try {
    // The sample may end inside a character.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return "text/plain";
  } catch {
    return "application/octet-stream";
  }
}

function readDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""));
    // A folder that is dropped is a file that cannot be read.
    reader.addEventListener("error", () =>
      reject(new Error(`${file.name} cannot be read. Attach files, not folders.`)),
    );
    reader.readAsDataURL(file);
  });
}

/** The queue; each message can be removed. */
export function QueueList({ chat }: { readonly chat: ChatState }): ReactNode {
  const host = useHost();
  if (chat.queuedMessages.length === 0) return null;
  const remove = ({ id }: PendingMessage): void => {
    const action = { type: "chat/pendingMessageRemoved", kind: "queued", id } as const;
    void host.reportRejection(host.channel(chat.resource, "chat").dispatch(action));
  };
  return (
    <ol className={style.queue} aria-label="Queued messages">
      {chat.queuedMessages.map((pending) => (
        <li key={pending.id}>
          <span className={control.chip}>Queued</span>
          <span className={style.queued}>{pending.message.text}</span>
          <button type="button" className={control.small} onClick={() => remove(pending)}>
            Remove
          </button>
        </li>
      ))}
    </ol>
  );
}
