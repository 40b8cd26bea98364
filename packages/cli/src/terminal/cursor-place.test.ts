// The line break before a message, after output of every kind, cut anywhere.
import { expect, it } from "vitest";
import { CursorPlace } from "./cursor-place.ts";

const bottom = "\u001B[999;1H\r\n";

it.each([
  ["", ""],
  ["done\r\n", ""],
  ["$ ", "\r\n"],
  ["one\r\n\u001B[1m$ \u001B[0m", "\r\n"],
  ["done\r\n\u001B[?25h\u001B]0;title\u0007\r", ""],
  ["\u001B[H\u001B[2J$ ", "\r\n"],
  ["\u001B[H\u001B[2Jtop\u001B[6;1H", bottom],
  ["$ vim\r\n\u001B[?1049h\u001B[24;1H:q", ""],
  ["$ vim\r\n\u001B[?1049h\u001B[24;1H:q\u001B[?1049l", ""],
  ["vim\u001B[?1049h\u001B[24;1H:q\n\u001B[?1049l", "\r\n"],
])("[C514] after %j a message begins a line", (output, lineBreak) => {
  for (let cut = 0; cut <= output.length; cut += 1) {
    const place = new CursorPlace();
    place.push(output.slice(0, cut));
    place.push(output.slice(cut));
    expect(place.lineBreak).toBe(lineBreak);
  }
});
