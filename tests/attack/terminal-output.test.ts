// Attacks by output: sequences that would act on a person's window beyond its screen, in a terminal and in what clients print.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Windows } from "../cli/window.ts";
import { AttackHost } from "./attack-host.ts";
import { attackSettings, optionsOf } from "./attack-settings.ts";

const ESC = "\u001B";
/** Sequences that must not arrive: OSC, DCS, APC, PM and SOS in both forms, except for colours. */
const acting = /(?:\u001B[\]P_^X]|[\u0090\u0098\u009D-\u009F])(?!\??(?:4|1[0-9]|104|11[0-9]);?)/;

/** Each acts on a window: the clipboard, links, titles, notifications, files, another terminal's pass-through. */
const injections: readonly (readonly [string, string])[] = [
  ["the clipboard", String.raw`\033]52;c;c3RvbGVu\007`],
  ["the clipboard, as a question", String.raw`\033]52;c;?\007`],
  ["a link", String.raw`\033]8;;http://evil.example/\033\\click\033]8;;\033\\`],
  ["a title", String.raw`\033]0;root@safe\007\033]2;root@safe\033\\`],
  ["a title of screen", String.raw`\033kroot@safe\033\\`],
  ["a notification", String.raw`\033]9;done\007\033]777;notify;a;b\007`],
  ["a file", String.raw`\033]1337;File=name=eA==:eA==\007`],
  ["through tmux", String.raw`\033Ptmux;\033\033]52;c;c3RvbGVu\007\033\\`],
  ["in 8 bits", String.raw`\302\23552;c;c3RvbGVu\302\234`],
];
const line = `printf '${injections.map(([, text]) => text).join("")}'; printf 'drawn\\n'; sleep 600`;

let target: AttackHost;

function openWindows(): Windows {
  const windows = new Windows();
  onTestFinished(() => windows.close());
  return windows;
}

describe.each(attackSettings("ordinary"))("as $user, backend $backend", (setting) => {
  beforeAll(async () => {
    target = await AttackHost.start({}, optionsOf(setting));
  });
  afterAll(() => target.close());

  it("[C624] output of an agent's terminal does not act on the window of a person that attaches", async () => {
    const key = await target.open({ approvalPolicy: "approve-all" });
    const create = {
      do: "call",
      method: "terminal/create",
      params: { command: "/bin/sh", args: ["-c", line], _meta: { holdfast: { tty: true } } },
    } as const;
    const { outcomes } = await target.play(key, [create]);
    const id = String(outcomes[0]?.result?.["terminalId"]);
    const windows = openWindows();
    const words = ["attach", "--home", target.host.home, "--read-only", id];
    for (const options of [[], ["--trust-output"]]) {
      // Somebody who only watches has not taken the terminal, so that nothing is trusted.
      const window = await windows.open([...words, ...options], { columns: 100, rows: 20 });
      await window.shows("drawn");
      expect(acting.exec(window.written)?.[0]).toBeUndefined();
      expect(window.written).not.toContain("c3RvbGVu");
    }
    const { output } = await target.holdfast("logs", id);
    expect(output).toContain("drawn");
    expect(acting.exec(output)?.[0]).toBeUndefined();
  });

  it("[C711] what an agent writes into requests, titles and names does not act on a window", async () => {
    const evil = `${ESC}]52;c;c3RvbGVu\u0007${ESC}]0;root@safe\u0007${ESC}[2J\u009D52;c;c3RvbGVu\u009C\u202Eevil`;
    const key = await target.open({ approvalPolicy: "ask" });
    const steps = [
      { do: "report", update: { sessionUpdate: "session_info_update", title: `title ${evil}` } },
      { do: "terminal", command: `echo ${evil}`, env: [{ name: "A", value: evil }] },
    ] as const;
    const playing = target.play(key, steps, () => "later");
    await expect.poll(() => target.openQuestions(key)).toHaveLength(1);
    const printed = await Promise.all(
      [["approvals"], ["ls"], ["audit", "tail", "-n", "20"]].map(
        async (words) => (await target.holdfast(...words)).output,
      ),
    );
    for (const output of printed) {
      expect(output).not.toBe("");
      expect(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]/.exec(output)?.[0]).toBeUndefined();
    }
    const [question] = await target.openQuestions(key);
    await target.decide(key, String(question?.["requestId"]), "reject_once");
    expect((await playing).outcomes[1]).toMatchObject({ code: -32_009 });
  });
});
