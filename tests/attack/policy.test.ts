// Attacks on deny rules: the same command in every disguise that a shell offers, under approve-all.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AttackHost } from "./attack-host.ts";
import { attackSettings, optionsOf } from "./attack-settings.ts";

const rules = {
  deny: ["touch **"],
  rules: [
    { id: "preload", effect: "deny", env: ["LD_*", "BASH_ENV"] },
    { id: "secrets", effect: "deny", paths: ["$ROOT/secret/**"] },
  ],
};

let target: AttackHost;
let key: string;

/** Each would create the file `made` if bash or sh ran it. */
const disguises = [
  "touch made",
  "/usr/bin/touch made",
  "to''uch made",
  'to"u"ch made',
  "\\touch made",
  "$'\\x74ouch' made",
  "$'touch' made",
  "X=touch; $X made",
  "IFS=_; X=touch_made; $X",
  "eval touch made",
  "eval 'to''uch' made",
  "command touch made",
  "builtin command touch made",
  "exec touch made",
  "env touch made",
  "env -S 'touch made'",
  "env -u A B=1 touch made",
  "flock made touch made",
  "setpriv touch made",
  "taskset 1 touch made",
  "nice touch made",
  "nohup touch made",
  "timeout 5 touch made",
  "setsid touch made",
  "sh -c 'touch made'",
  "bash -lc 'touch made'",
  "bash -c 'eval \"touch made\"'",
  "echo made | xargs touch",
  "find . -maxdepth 0 -exec touch made \\;",
  "true && touch made",
  "false || touch made",
  "true; touch made",
  "true\ntouch made",
  "true & touch made",
  "(touch made)",
  "{ touch made; }",
  "if true; then touch made; fi",
  "for i in 1; do touch made; done",
  "while touch made; do break; done",
  "case a in a) touch made;; esac",
  "! touch made",
  "f() { touch made; }; f",
  "function f { touch made; }; f",
  "alias t=touch\nt made",
  "shopt -s expand_aliases\nalias t=touch\nt made",
  "echo $(touch made)",
  "echo `touch made`",
  "cat <(touch made)",
  ": ${X:=$(touch made)}",
  "[[ -n $(touch made) ]]",
  "(( $(touch made; echo 1) ))",
  "a[$(touch made)]=1",
  "cat <<EOT\n$(touch made)\nEOT",
  "bash <<'EOT'\ntouch made\nEOT",
  "bash <<< 'touch made'",
  "echo touch made | sh",
  ". /dev/stdin <<< 'touch made'",
  "source <(echo touch made)",
  "trap 'touch made' EXIT",
  "PROMPT_COMMAND='touch made' bash -ic :",
  "t''ou'c'h made",
  "tou\\\nch made",
  "{touch,made}",
  "tou[c]h made",
  "/usr/bin/tou?h made",
  "/???/???/touch made",
  "~/../usr/bin/touch made",
  "python3 -c 'import os; os.system(\"touch made\")'; touch made",
  "busybox touch made",
  "ionice touch made",
  "stdbuf -o0 touch made",
  "time touch made",
  "coproc touch made",
  "watch -n 1 touch made",
  "su root -c 'touch made'",
  "sudo touch made",
  "doas touch made",
  "chroot / touch made",
  "unshare touch made",
  "script -qc 'touch made' /dev/null",
  "printf -v X touch; $X made",
  "read X <<< touch; $X made",
  "hash -p /usr/bin/touch t; t made",
  "enable -n echo; touch made",
  "exec -a ls touch made",
  "LD_PRELOAD=/x.so ls",
  "BASH_ENV=/x bash -c :",
  "ls; \u00a0touch made; touch made",
];

describe.each(attackSettings("own"))("as $user, backend $backend", (setting) => {
  beforeAll(async () => {
    target = await AttackHost.start(
      { policy: "../policy.jsonc" },
      {
        ...optionsOf(setting),
        prepare: (folder) => writeFileSync(path.join(folder, "policy.jsonc"), JSON.stringify(rules)),
      },
    );
    target.prepare(() => {
      mkdirSync(path.join(target.host.project, "secret"));
      writeFileSync(path.join(target.host.project, "secret/a"), "");
    });
    key = await target.open({ approvalPolicy: "approve-all" });
  });
  afterAll(() => target.close());

  describe("[V688] a denied command", () => {
    it("[V688] runs in no disguise without a denial or a question, and is in the audit", async () => {
      const steps = disguises.map((line) => ({ do: "terminal", command: line }) as const);
      const { outcomes, questions } = await target.play(key, steps);
      const ran = disguises.filter((_line, index) => outcomes[index]?.code !== -32_009);
      expect(ran).toEqual([]);
      expect(existsSync(path.join(target.host.project, "made"))).toBe(false);
      expect(await target.denials(key, "command")).toHaveLength(disguises.length);
      // What cannot be understood is asked about, with the whole line.
      for (const question of questions) expect(disguises).toContain(question.target);
    });

    it("[V688] stays denied when it comes as a program, with variables, or through an approval", async () => {
      const variables = [{ name: "LD_AUDIT", value: "/x.so" }];
      const { outcomes } = await target.play(
        key,
        [
          { do: "terminal", command: "touch", args: ["made"] },
          { do: "terminal", command: "env", args: ["touch", "made"] },
          { do: "terminal", command: "ls", env: variables },
          {
            do: "call",
            method: "fs/read_text_file",
            params: { path: path.join(target.host.project, "secret/a") },
          },
          {
            do: "call",
            method: "fs/write_text_file",
            params: { path: path.join(target.host.project, "x/../secret/a"), content: "" },
          },
        ],
        () => "allow_once",
      );
      expect(outcomes.map(({ code }) => code)).toEqual([-32_009, -32_009, -32_009, -32_009, -32_009]);
    });

    it("[V687] stays denied while the file is broken or gone", async () => {
      const file = path.join(path.dirname(target.host.home), "policy.jsonc");
      const before = readFileSync(file, "utf8");
      for (const text of ["{ nonsense", '{"deny": "touch"}', undefined]) {
        if (text === undefined) rmSync(file);
        else writeFileSync(file, text);
        const { outcomes } = await target.play(key, [{ do: "terminal", command: "touch made" }]);
        expect(outcomes[0]).toMatchObject({ code: -32_009 });
      }
      writeFileSync(file, before);
    });
  });
});
