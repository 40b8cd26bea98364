// The question before changes are undone.
import type { ReactNode } from "react";
import { ConfirmDialog } from "../ui/dialog.tsx";
import type { ChangedFile, ChangeHunk } from "./changes.ts";

interface RevertDialogProps {
  readonly file: ChangedFile;
  readonly hunk: ChangeHunk | undefined;
  readonly turn: number | undefined;
  readonly onClose: () => void;
  readonly onRevert: () => void;
}

export function RevertDialog({ file, hunk, turn, onClose, onRevert }: RevertDialogProps): ReactNode {
  const since = turn === undefined ? "before the session" : `before turn ${turn}`;
  const place = hunk === undefined ? "" : ` at line ${hunk.newStart}`;
  const text =
    hunk === undefined && file.status === "added"
      ? `${file.path} is new. Reverting it deletes the file from the folder.`
      : `${file.path} gets the content${place} that it had ${since}. This changes the file on disk and cannot be undone here.`;
  return (
    <ConfirmDialog
      title={hunk === undefined ? "Revert this file?" : "Revert this hunk?"}
      text={text}
      action={hunk === undefined ? "Revert file" : "Revert hunk"}
      isDanger
      onConfirm={onRevert}
      onClose={onClose}
    />
  );
}
