// Copy button: puts a text on the clipboard and says so.
import { CheckIcon, CopyIcon } from "@primer/octicons-react";
import { type ReactNode, useEffect, useState } from "react";
import { IconButton } from "./button.tsx";

export interface CopyButtonProps {
  /** Such as "Copy message". */
  readonly label: string;
  /** Asked for when it is copied. */
  readonly text: () => string;
  readonly size?: "medium" | "small";
}

const saidMs = 1600;

export function CopyButton({ label, text, size = "small" }: CopyButtonProps): ReactNode {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), saidMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <IconButton
      label={isCopied ? "Copied" : label}
      icon={isCopied ? <CheckIcon /> : <CopyIcon />}
      size={size}
      onClick={() => {
        if (copyText(text())) setIsCopied(true);
      }}
    />
  );
}

/** Copies a text, also where the page has no clipboard because its address is not secure; returns whether it was done. */
export function copyText(text: string): boolean {
  if (isSecureContext) {
    // It fails only where the person forbids it.
    navigator.clipboard.writeText(text).catch(() => undefined);
    return true;
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  document.body.append(field);
  field.select();
  // The only way without a secure address; browsers keep it for that.
  // oxlint-disable-next-line typescript/no-deprecated
  const isDone = document.execCommand("copy");
  field.remove();
  return isDone;
}
