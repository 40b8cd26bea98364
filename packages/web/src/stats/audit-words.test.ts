// Labels for the entries of the audit log.
import { describe, expect, it } from "vitest";
import { actorText, kindLabel, subjectText } from "./audit-words.ts";

describe("[Z938] an entry of the audit log", () => {
  it("[Z938] has labels in place of identifiers", () => {
    expect(["command-exit", "file-read", "of-a-later-version"].map(kindLabel)).toEqual([
      "Command ended",
      "Read file",
      "of-a-later-version",
    ]);
    expect(subjectText("policy", "approvalPolicy: none → approve-all")).toBe(
      "Up to the agent → Allow everything",
    );
    expect(subjectText("sign-in", "10a08a270d02739e Chrome on Linux")).toBe("Chrome on Linux");
    expect(subjectText("command", "approvalPolicy: none → approve-all")).toBe(
      "approvalPolicy: none → approve-all",
    );
  });

  it("[Z938] names the source of its decision", () => {
    const sources = [
      "client page-1",
      "client page-2",
      "client sign-in:abcdef",
      "client cli-3",
      "client vscode",
      "policy approve-reads",
      "app garden",
      "host",
      "expiry",
    ];
    expect(sources.map((by) => actorText(by, "page-1"))).toEqual([
      "this page",
      "browser page-2",
      "browser sign-in:abcd…",
      "command line cli-3",
      "client vscode",
      "permissions “Allow reading”",
      "app garden",
      "the host",
      "timeout",
    ]);
  });
});
