// Commits of what changed, at the end of the view: the message is proposed, and what is staged goes in.
import { GitCommitIcon } from "@primer/octicons-react";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { useHost } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import { isComposing } from "../ui/composing.ts";
import style from "./changes-page.module.css";
import { type ChangedFile, type ChangeScope, commitFiles } from "./changes.ts";

interface CommitBarProps {
  readonly scope: ChangeScope;
  /** Those that are not committed. */
  readonly files: readonly ChangedFile[];
  readonly proposed: string;
  readonly onDone: () => void;
}

export function CommitBar({ scope, files, proposed, onDone }: CommitBarProps): ReactNode {
  const host = useHost();
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const message = text ?? proposed;
  const staged = files.filter((file) => file.staged !== undefined);
  const words =
    staged.length > 0 ? countWords(staged.length, "staged file") : `all ${countWords(files.length, "file")}`;
  const commit = async (): Promise<void> => {
    setIsBusy(true);
    const paths = staged.length > 0 ? undefined : files.map(({ path }) => path);
    let id = "";
    const made = commitFiles(scope, message, paths).then((found) => {
      id = found;
    });
    if (await host.reportFailure(made)) {
      host.notices.say("news", `Committed ${id.slice(0, 8)}: ${message.split("\n", 1)[0] ?? ""}`);
      setText(undefined);
      setIsOpen(false);
    }
    setIsBusy(false);
    onDone();
  };
  const press = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) return;
    const isSent = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (event.key === "Escape") setIsOpen(false);
    else if (isSent && message.trim() !== "") void commit();
    else return;
    event.preventDefault();
  };
  if (!isOpen) {
    return (
      <div className={style.bar}>
        <span className={style.barWords}>
          {staged.length > 0 ? `${words} of ${files.length}` : countWords(files.length, "uncommitted file")}
        </span>
        <Button icon={<GitCommitIcon />} onClick={() => setIsOpen(true)}>
          Commit…
        </Button>
      </div>
    );
  }
  return (
    <div className={style.commit} role="group" aria-label="Commit">
      <textarea
        className={style.commitField}
        aria-label="Commit message"
        rows={2}
        autoFocus
        value={message}
        onFocus={(event) => event.target.select()}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={press}
      />
      <div className={style.bar}>
        <span className={style.barWords}>Commits {words}, unsigned and without hooks.</span>
        <Button kind="quiet" onClick={() => setIsOpen(false)}>
          Cancel
        </Button>
        <Button kind="primary" disabled={isBusy || message.trim() === ""} onClick={() => void commit()}>
          Commit {words}
        </Button>
      </div>
    </div>
  );
}

export function countWords(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
