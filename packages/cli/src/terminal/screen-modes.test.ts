// Screen modes that a program switched on are switched off again, and no others.
import { expect, it } from "vitest";
import { ScreenModes } from "./person-screen.ts";

/** The modes after a text that is cut at each place in turn. */
function everyCut(text: string): ScreenModes[] {
  return Array.from({ length: text.length }, (_, cut) => {
    const modes = new ScreenModes();
    modes.push(text.slice(0, cut));
    modes.push(text.slice(cut));
    return modes;
  });
}

it("[C40] every mode that is on is put back, wherever the output is cut", () => {
  for (const modes of everyCut("a\u001B[?1049;25h\u001B[?25l\u001B[?1002;1006h\u001B[?2004hb\u001B[2;5r")) {
    expect(modes.hasOtherScreen).toBe(true);
    const restored = modes.restore();
    for (const sequence of ["[?1049l", "[?25h", "[?1002l", "[?1006l", "[?2004l", "[r"]) {
      expect(restored).toContain(`\u001B${sequence}`);
    }
    expect(modes.hasOtherScreen).toBe(false);
  }
});

it("[C40] what the program put back itself, or a reset did, is left alone", () => {
  const plain = new ScreenModes().restore();
  for (const text of [
    "\u001B[?1049h\u001B[?25l\u001B[?25h\u001B[?1049l",
    "\u001B[?1000h\u001B[?47h\u001Bc",
    "no",
  ]) {
    const modes = new ScreenModes();
    modes.push(text);
    expect(modes.restore()).toBe(plain);
  }
});
