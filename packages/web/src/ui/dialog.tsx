// Dialogs: a modal one, and a question before what cannot be undone.
import { XIcon } from "@primer/octicons-react";
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from "react";
import { Button, IconButton } from "./button.tsx";
import style from "./dialog.module.css";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly size?: "small" | "medium" | "large";
  readonly children: ReactNode;
  /** Buttons, the one that finishes last. */
  readonly footer?: ReactNode;
}

/** Shows a dialog above the page while the component is there; after that the focus is where it was. */
export function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const opened = dialog.current;
    const before = document.activeElement;
    opened?.showModal();
    return () => {
      // The browser puts the focus back only for a dialog that is still in the page, and a field's caret not always.
      opened?.close();
      if (!(before instanceof HTMLElement) || document.activeElement !== before) return;
      before.blur();
      before.focus({ preventScroll: true });
    };
  }, [dialog]);
}

/** Modal until it is removed. Escape and a click beside it close it. */
export function Dialog({ title, onClose, size = "medium", children, footer }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useModal(dialog);
  useLayoutEffect(() => {
    const opened = dialog.current;
    // React focuses before the dialog is shown, which has no effect. Without a wish the browser focuses Close.
    (opened?.querySelector<HTMLElement>("[data-autofocus]") ?? opened)?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={style.dialog}
      tabIndex={-1}
      data-size={size}
      aria-labelledby={titleId}
      onClose={onClose}
      onKeyDown={ignoreHeldKeys}
      onMouseDown={(event) => {
        if (event.target !== dialog.current) return;
        // Pressing the mouse would move the focus to what is below.
        event.preventDefault();
        onClose();
      }}
    >
      <div className={style.content}>
        <header className={style.head}>
          <h2 id={titleId}>{title}</h2>
          <IconButton label="Close" icon={<XIcon />} onClick={onClose} />
        </header>
        <div className={style.body}>{children}</div>
        {footer !== undefined && <footer className={style.foot}>{footer}</footer>}
      </div>
    </dialog>
  );
}

/** The key that opened the dialog may be held down: its repetitions press no button (Z1012). */
function ignoreHeldKeys(event: KeyboardEvent): void {
  const isPress = event.key === "Enter" || event.key === " ";
  if (event.repeat && isPress && event.target instanceof HTMLButtonElement) event.preventDefault();
}

export interface ConfirmDialogProps {
  readonly title: string;
  /** What happens, in a sentence. */
  readonly text: string;
  /** A verb with its object. */
  readonly action: string;
  readonly isDanger?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, text, action, isDanger = false, onConfirm, onClose } = props;
  const footer = (
    <>
      <Button data-autofocus={isDanger || undefined} onClick={onClose}>
        Cancel
      </Button>
      <Button
        kind={isDanger ? "danger" : "primary"}
        data-autofocus={!isDanger || undefined}
        onClick={() => {
          onClose();
          onConfirm();
        }}
      >
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} size="small" onClose={onClose} footer={footer}>
      <p>{text}</p>
    </Dialog>
  );
}
