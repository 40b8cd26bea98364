// Composer: a message starts a turn, or is queued behind the one that runs.
import { ArrowUpIcon, FileIcon, PaperclipIcon, SquareFillIcon, XIcon } from "@primer/octicons-react";
import type { Attachment, ChatState, ChatUri, PendingMessage, SessionState } from "@holdfast/ahp";
import { type DragEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useOfferedActions } from "../find/offered-actions.ts";
import { useHost, useIsReachable } from "../host/use-host.ts";
import { SessionSettings } from "../session/session-settings.tsx";
import { pathOf } from "../session/session-words.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Badge } from "../ui/status.tsx";
import { readFiles } from "./attached-file.ts";
import { stillNamed } from "./completion.ts";
import {
  type DraftFiles,
  joinFiles,
  keepDraft,
  keepDraftFiles,
  noFiles,
  readDraft,
  readDraftFiles,
} from "./draft-store.ts";
import style from "./composer.module.css";
import { focusMessageField } from "./message-focus.ts";
import { changeDraft, type DraftChange, listenToDraftChanges } from "./message-draft.ts";
import { MessageField } from "./message-field.tsx";
import { ownCommand, runOwnCommand } from "./own-commands.tsx";
import { listenToTakenBack, readUnsentDraft, readUnsentFiles, takeBack, whileSent } from "./sent-drafts.ts";
import { queueMessage, startTurn, stopTurn } from "./send-message.ts";
import { UsageMeter } from "./usage-meter.tsx";

interface ComposerProps {
  readonly session: SessionState;
  readonly chat: ChatState;
  /** A person sends a message. */
  readonly onSend: () => void;
}

export function Composer({ session, chat, onSend }: ComposerProps): ReactNode {
  const host = useHost();
  const message = useMessage(session, chat, onSend);
  const { text, attached, command } = message;
  const isBusy = chat.activeTurn !== undefined;
  const isShell = session.provider === "shell";
  const isReachable = useIsReachable();
  const history = useMemo(() => sentTexts(chat), [chat.turns, chat.activeTurn?.id]);
  const stop = (): void => {
    focusMessageField();
    void host.reportRejection(stopTurn(host.channel(chat.resource, "chat"), chat, host.clientId));
  };
  useOfferedActions(isBusy && isReachable ? [{ label: "Stop", detail: "The running turn", run: stop }] : []);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    message.attach(event.dataTransfer.files);
  };
  return (
    <div className={style.composer} onDrop={drop} onDragOver={(event) => event.preventDefault()}>
      <div className={style.box} data-command={command !== undefined}>
        <AttachedFiles files={attached} onRemove={message.remove} />
        <MessageField
          chat={chat.resource}
          text={text}
          placeholder={
            isBusy
              ? "Queue a message"
              : isShell
                ? "A command, such as ls -la"
                : "Ask for something · @ for files, / for commands, ! to run"
          }
          history={history}
          onChange={message.write}
          onSend={() => void message.send()}
          onAttach={message.name}
          onPaste={message.attach}
        />
        <div className={style.toolbar}>
          <AttachButton onAttach={message.attach} />
          <div className={style.settings}>
            {command === undefined ? (
              <SessionSettings session={session} />
            ) : (
              <span className={style.hintLine}>
                Runs in {pathOf(session.workingDirectories[0])}, held by you
              </span>
            )}
          </div>
          {chat.contextUsage !== undefined && <UsageMeter usage={chat.contextUsage} />}
          {isBusy && (
            <span className={style.stop}>
              <IconButton
                label="Stop"
                icon={<SquareFillIcon size={24} />}
                disabled={!isReachable}
                onClick={stop}
              />
            </span>
          )}
          <IconButton
            label={command !== undefined ? "Run" : isBusy ? "Queue" : "Send"}
            keys="Enter"
            kind="primary"
            icon={<ArrowUpIcon />}
            disabled={message.isEmpty || !isReachable}
            onClick={() => {
              // The button is disabled once the message is gone, and would take the focus with it.
              focusMessageField();
              void message.send();
            }}
          />
        </div>
      </div>
    </div>
  );
}

/** The message that is being written. */
interface DraftMessage {
  readonly text: string;
  readonly attached: readonly Attachment[];
  readonly isEmpty: boolean;
  /** The command that it runs, if it is one. */
  readonly command: string | undefined;
  readonly write: (text: string) => void;
  readonly attach: (files: Iterable<File>) => void;
  readonly remove: (file: Attachment) => void;
  /** Notes a file of the session's folder that the text names. */
  readonly name: (file: Attachment) => void;
  readonly send: () => Promise<void>;
}

function useMessage(session: SessionState, chat: ChatState, onSend: () => void): DraftMessage {
  const host = useHost();
  const [text, setText] = useState(() => readUnsentDraft(chat.resource));
  const { files, show, add, prepend, remove } = useDraftFiles(chat.resource);
  const { attached, named } = files;
  const isEmpty = text.trim() === "" && attached.length === 0;
  const command = attached.length === 0 ? ownCommand(text) : undefined;
  const write = (written: string): void => {
    setText(written);
    keepDraft(chat.resource, written);
  };
  useDraftChanges(chat.resource, setText, prepend);
  useTakenBack(chat.resource, setText, add);
  const runCommand = (line: string): Promise<boolean> => {
    const folder = pathOf(session.workingDirectories[0]);
    return host.reportFailure(runOwnCommand(host, session.resource, folder, line));
  };
  const sendMessage = (): Promise<boolean> => {
    const written = { text, attachments: [...attached, ...stillNamed(named, text)] };
    onSend();
    const store = host.channel(chat.resource, "chat");
    return host.reportRejection(
      chat.activeTurn === undefined ? startTurn(store, written) : queueMessage(store, written),
    );
  };
  const send = async (): Promise<void> => {
    if (isEmpty) return;
    if (!host.isReachable()) {
      // It may never come back under this sign-in, and then nobody would send the message.
      host.notices.say("problem", "Disconnected: the message was not sent. It is kept here; send it again.");
      return;
    }
    setText("");
    show(noFiles);
    const sent = { chat: chat.resource, text, files };
    const isTaken = await whileSent(sent, command === undefined ? sendMessage() : runCommand(command));
    if (isTaken) {
      // Unless the next message has been begun meanwhile.
      if (readDraft(chat.resource) === text) keepDraft(chat.resource, "");
      if (readDraftFiles(chat.resource) === files) keepDraftFiles(chat.resource, noFiles);
      return;
    }
    // What was not accepted is put back: a message also before what was written meanwhile, which a command would include.
    takeBack(sent, (current) => {
      if (current === "") return text;
      return command === undefined ? changedDraft(current, { kind: "prepend", text }) : current;
    });
  };
  return {
    text,
    attached,
    isEmpty,
    command,
    write,
    send,
    attach: (added) =>
      void host.reportFailure(readFiles(added).then((read) => add({ attached: read, named: [] }))),
    remove,
    name: (file) => add({ attached: [], named: [file] }),
  };
}

interface ShownFiles {
  readonly files: DraftFiles;
  /** Shows others; those that are kept stay. */
  readonly show: (files: DraftFiles) => void;
  readonly add: (files: DraftFiles) => void;
  /** Puts attachments before those that are there. */
  readonly prepend: (attachments: readonly Attachment[]) => void;
  readonly remove: (file: Attachment) => void;
}

/** The files of the message that is being written. */
function useDraftFiles(chat: ChatUri): ShownFiles {
  const [files, show] = useState(() => readUnsentFiles(chat));
  const change = (changed: (current: DraftFiles) => DraftFiles): void =>
    show((current) => {
      const next = changed(current);
      keepDraftFiles(chat, next);
      return next;
    });
  return {
    files,
    show,
    add: (added) => change((current) => joinFiles(current, added)),
    prepend: (attachments) =>
      change((current) => ({ ...current, attached: [...attachments, ...current.attached] })),
    remove: (file) =>
      change((current) => ({ ...current, attached: current.attached.filter((each) => each !== file) })),
  };
}

/** Takes a message back that was sent from this view, or from one of the chat that was left meanwhile. */
function useTakenBack(
  chat: ChatUri,
  setText: (change: (text: string) => string) => void,
  add: ShownFiles["add"],
): void {
  const latest = useRef(add);
  latest.current = add;
  useEffect(
    () =>
      listenToTakenBack(chat, (change, files) => {
        setText(change);
        latest.current(files);
      }),
    [chat, setText],
  );
}

/** Takes up what other parts of the page put into the draft. */
function useDraftChanges(
  chat: ChatUri,
  setText: (change: (text: string) => string) => void,
  prependFiles: ShownFiles["prepend"],
): void {
  const latest = useRef(prependFiles);
  latest.current = prependFiles;
  useEffect(
    () =>
      listenToDraftChanges((change) => {
        setText((current) => {
          const changed = changedDraft(current, change);
          keepDraft(chat, changed);
          return changed;
        });
        if (change.kind === "prepend") latest.current(change.attachments ?? []);
      }),
    [chat],
  );
}

function changedDraft(current: string, { kind, text }: DraftChange): string {
  if (kind === "replace" || current === "") return text;
  return kind === "append" ? `${current.trimEnd()}\n\n${text}` : `${text.trimEnd()}\n\n${current}`;
}

/** The texts of the chat's messages, the newest first, each once. */
function sentTexts({ turns, activeTurn }: ChatState): string[] {
  const texts = [...turns, ...(activeTurn ? [activeTurn] : [])].map(({ message }) => message.text);
  return [...new Set(texts.toReversed())].filter((text) => text.trim() !== "").slice(0, historyLength);
}

const historyLength = 100;

function AttachButton({ onAttach }: { readonly onAttach: (files: Iterable<File>) => void }): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label="Attach files" icon={<PaperclipIcon />} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          onAttach([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </>
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
        <li key={index} className={style.file}>
          <Thumbnail file={file} />
          <span className={style.fileName}>{file.label}</span>
          <IconButton
            label={`Remove ${file.label}`}
            icon={<XIcon />}
            size="small"
            onClick={() => onRemove(file)}
          />
        </li>
      ))}
    </ul>
  );
}

function Thumbnail({ file }: { readonly file: Attachment }): ReactNode {
  if (file.type === "embeddedResource" && file.contentType.startsWith("image/")) {
    return <img className={style.thumbnail} src={`data:${file.contentType};base64,${file.data}`} alt="" />;
  }
  return <FileIcon />;
}

/** The queue; each message can be removed. */
export function QueueList({ chat }: { readonly chat: ChatState }): ReactNode {
  const host = useHost();
  if (chat.queuedMessages.length === 0) return null;
  const remove = ({ id }: PendingMessage): Promise<boolean> => {
    const action = { type: "chat/pendingMessageRemoved", kind: "queued", id } as const;
    return host.reportRejection(host.channel(chat.resource, "chat").dispatch(action));
  };
  const edit = async (pending: PendingMessage): Promise<void> => {
    const { text, attachments } = pending.message;
    if (await remove(pending)) changeDraft({ kind: "prepend", text, attachments });
  };
  return (
    <ol className={style.queue} aria-label="Queued messages">
      {chat.queuedMessages.map((pending) => (
        <li key={pending.id}>
          <Badge>Queued</Badge>
          <span className={style.queued}>{pending.message.text}</span>
          <Button kind="quiet" size="small" onClick={() => void edit(pending)}>
            Edit
          </Button>
          <Button kind="quiet" size="small" onClick={() => void remove(pending)}>
            Remove
          </Button>
        </li>
      ))}
    </ol>
  );
}
