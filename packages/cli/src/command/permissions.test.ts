// The text of a standing permission: everything that it allows.
import { expect, it } from "vitest";
import { allowedText } from "./permissions.ts";

it("[C600] a rule is shown with its folder and its changed variables", () => {
  const command = { kind: "command", line: "node --test", cwd: "/work" } as const;
  expect(allowedText({ subject: { ...command, environment: [] } })).toBe("node --test in /work");
  const environment = [{ name: "NODE_OPTIONS", value: "--import ./x.mjs" }, { name: "CI" }];
  expect(allowedText({ subject: { ...command, environment } })).toBe(
    "node --test in /work with NODE_OPTIONS=--import ./x.mjs, CI unset",
  );
});

it("[V860] a rule for a command outside of the sandbox says so", () => {
  const subject = { kind: "command", line: "ls", cwd: "/work", environment: [] } as const;
  expect(allowedText({ subject: { ...subject, isolation: "not isolated" } })).toBe(
    "ls in /work (not isolated)",
  );
});
