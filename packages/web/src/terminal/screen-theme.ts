// The colours of a screen, which is dark in both themes.
import type { ITheme } from "@xterm/xterm";

/** The theme for a screen at a place in the page. */
export function screenTheme(place: Element): ITheme {
  const style = getComputedStyle(place);
  const background = style.getPropertyValue("--screen").trim();
  const foreground = style.getPropertyValue("--screen-ink").trim();
  return {
    background,
    foreground,
    cursor: "#f2b05e",
    cursorAccent: background,
    selectionBackground: "#3f5f6280",
    black: "#1c2b2b",
    red: "#ef7f76",
    green: "#85cf96",
    yellow: "#e6c06c",
    blue: "#7fb4e8",
    magenta: "#cf9be0",
    cyan: "#6fcbd0",
    white: "#d6e0de",
    brightBlack: "#7f9393",
    brightRed: "#ff9d94",
    brightGreen: "#a3e3b0",
    brightYellow: "#f4d489",
    brightBlue: "#a0caf5",
    brightMagenta: "#e0b6ee",
    brightCyan: "#93e0e4",
    brightWhite: "#f3f8f7",
  };
}
