// Paths of files as a conversation shows them: those in the session's folder without it.
import { createContext, useContext } from "react";

/** The folder of the session whose conversation is shown; empty where there is none. */
export const SessionFolder = createContext("");

/** Shortens the paths in a text (Z918). */
export function useShownPath(): (text: string) => string {
  const folder = useContext(SessionFolder);
  return (text) => withoutFolder(text, folder);
}

/** Leaves out a folder where the path of something in it begins. */
export function withoutFolder(text: string, folder: string): string {
  const start = `${folder.replace(/\/+$/, "")}/`;
  if (start === "/") return text;
  return text
    .split(start)
    .reduce((shown, piece) =>
      /[\w./~-]$/.test(shown) || /^(?:\s|\/|$)/.test(piece) ? `${shown}${start}${piece}` : shown + piece,
    );
}
