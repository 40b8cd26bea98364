// Attacks on files: paths that lead elsewhere, by links, parents and exchanges, while the host reads and writes for an agent.
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AttackHost } from "./attack-host.ts";
import { attackSettings, isLong, optionsOf } from "./attack-settings.ts";
import type { HostileStep } from "./hostile-step.ts";

const denied = -32_009;
let target: AttackHost;
let key: string;
/** A folder beside the project, with one file. */
let outside: string;

function makeFiles(project: string): void {
  mkdirSync(outside);
  writeFileSync(path.join(outside, "file"), "untouched");
  symlinkSync(outside, path.join(project, "link"));
  symlinkSync(path.join(outside, "new"), path.join(project, "dangling"));
  linkSync(path.join(outside, "file"), path.join(project, "hard"));
  mkdirSync(path.join(project, "inside"));
}

function access(method: "read" | "write", file: string): HostileStep {
  return { do: "call", method: `fs/${method}_text_file`, params: { path: file, content: "attacked" } };
}

describe.each(attackSettings("ordinary"))("as $user, backend $backend", (setting) => {
  beforeAll(async () => {
    target = await AttackHost.start({}, optionsOf(setting));
    key = await target.open();
    const { project } = target.host;
    outside = path.join(path.dirname(project), "outside");
    target.prepare(() => makeFiles(project));
  });
  afterAll(() => target.close());

  describe("[N675] a path that leads outside", () => {
    it("[N675] is asked about by where it leads, and neither read nor written without a yes", async () => {
      const { project } = target.host;
      const written = [
        `${project}/link/file`,
        `${project}/../outside/file`,
        `${project}/inside/../../outside/file`,
        `${project}/dangling`,
        `${project}/hard`,
        `/proc/self/root${outside}/file`,
        `/proc/self/cwd/../../../../../../../..${outside}/file`,
        `${outside}/file`,
      ];
      const read = written.filter((file) => !/dangling|hard/.test(file));
      const steps = [
        ...written.map((file) => access("write", file)),
        ...read.map((file) => access("read", file)),
      ];
      const { outcomes, questions } = await target.play(key, steps);
      expect(outcomes.map(({ code }) => code)).toEqual(steps.map(() => denied));
      // The real path comes first; the agent's follows where it differs.
      const real = /^\/.*\/(?:outside\/(?:file|new)|hard)\b/;
      expect(questions.filter((question) => !real.test(question.target))).toEqual([]);
      expect(readFileSync(path.join(outside, "file"), "utf8")).toBe("untouched");
      expect(readdirSync(outside)).toEqual(["file"]);
      const entries = (await target.denials(key)).filter(({ what }) => String(what).startsWith("file-"));
      expect(entries).toHaveLength(steps.length);
    });

    it("[N676] is not waited for if it is a pipe, a folder or a device", async () => {
      const { project } = target.host;
      const { outcomes } = await target.play(
        key,
        [
          { do: "run", line: `mkfifo '${project}/pipe'` },
          access("write", `${project}/pipe`),
          access("read", `${project}/pipe`),
          access("write", `${project}/inside`),
          access("write", "/dev/tty"),
          access("read", "/dev/zero"),
        ],
        () => "allow_once",
      );
      for (const { code } of outcomes.slice(1)) expect([-32_602, denied]).toContain(code);
    });

    it("[N675] is not followed while the agent exchanges a folder for a link", async () => {
      const { project } = target.host;
      const count = isLong ? 1000 : 150;
      const swap = `cd '${project}'; mkdir -p a; ln -sfn '${outside}' b; (while [ ! -e stop ]; do mv -T a c 2>/dev/null; mv -T b a; mv -T a b; mv -T c a; done) >/dev/null 2>&1 &`;
      const { outcomes } = await target.play(key, [
        { do: "run", line: swap },
        ...Array.from({ length: count }, (_none, index) => access("write", `${project}/a/raced-${index}`)),
        { do: "run", line: `touch '${project}/stop'` },
      ]);
      expect(readdirSync(outside)).toEqual(["file"]);
      const writes = outcomes.slice(1, -1);
      expect(writes.filter(({ code, result }) => result === undefined && code === undefined)).toEqual([]);
      expect(existsSync(path.join(project, "stop"))).toBe(true);
    }, 120_000);
  });
});
