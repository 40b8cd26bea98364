// Questions in old output.
import { expect, it } from "vitest";
import { withoutQueries } from "./attach-session.ts";

it("[C41] every question is taken out of old output, and nothing that draws", () => {
  const questions = [
    "\u001B[6n",
    "\u001B[?6n",
    "\u001B[5n",
    "\u001B[c",
    "\u001B[0c",
    "\u001B[>c",
    "\u001B[=c",
    "\u001B[?2026$p",
    "\u001B[18t",
    "\u001B[?u",
    "\u001B[>0q",
    "\u001B]11;?\u0007",
    "\u001B]4;1;?\u001B\\",
    "\u001BP+q544e\u001B\\",
    "\u0005",
  ];
  for (const question of questions) expect(withoutQueries(`a${question}b`)).toBe("ab");
  const drawing =
    "\u001B[31mred\u001B[0m\u001B[2;5H\u001B]0;title\u0007\u001B]11;#000\u0007\u001B[1;5r\u001B[22;0t\r\n";
  expect(withoutQueries(drawing)).toBe(drawing);
});
