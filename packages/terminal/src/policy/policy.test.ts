// Decisions of policies: rules, presets, lists, and a slow reference evaluator.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPolicy, policyCases } from "../testing/policy-property.ts";
import {
  allowCommands,
  blockArguments,
  blockCommands,
  type Effect,
  Policy,
  PRESETS,
  type Rule,
} from "./index.ts";

const where = { kind: "command", cwd: "/w/p", roots: ["/w/p"], home: "/home/me" } as const;

function effectOf(policy: Policy, line: string, more: object = {}): Effect | undefined {
  return policy.decide({ ...where, run: { line }, ...more }).effect;
}

function withRules(...rules: Rule[]): Policy {
  return new Policy({ source: "test", rules, otherwise: "ask" });
}

describe("[T688] rules", () => {
  it("[T688] a line is as strict as its strictest command, and names the rule", () => {
    const policy = withRules(
      { id: "git", effect: "allow", command: "git **" },
      { id: "force", effect: "deny", command: "git push ** --force **" },
    );
    expect(effectOf(policy, "git status && git push")).toBe("allow");
    expect(effectOf(policy, "git status; ls")).toBe("ask");
    const { effect, rule } = policy.decide({ ...where, run: { line: "git status | git push -u --force a" } });
    expect([effect, rule]).toEqual(["deny", { id: "force", source: "test", effect: "deny" }]);
  });

  it.each<[string, Effect]>([
    ["bash -lc 'git push'", "deny"],
    ["sh -c 'cd x && exec git push'", "deny"],
    ["env A=b git push", "deny"],
    ["sudo -u root git push", "deny"],
    ["timeout 5 nice -n 3 nohup git push", "deny"],
    ["command git push", "deny"],
    ["eval 'git push'", "deny"],
    ["echo x | xargs -n 1 git push", "deny"],
    ["find . -exec git push {} +", "deny"],
    ["ssh host git push", "deny"],
    ["watch -n 1 git push", "deny"],
    ["npx git push", "deny"],
    ["git -c alias.x='!git push' x", "deny"],
    ["busybox git push", "deny"],
    ["echo $(git push)", "deny"],
    ["if true; then git push; fi", "deny"],
    ["/opt/bin/git push", "deny"],
    ["git -C sub push", "deny"],
    ["git $X", "ask"],
    ["$X push", "ask"],
    ["zsh -c 'git push'", "ask"],
    ["bash script.sh", "ask"],
    ['bash -c "$X"', "ask"],
    ["git status", "allow"],
    ["timeout 5 git status", "allow"],
  ])("[T689] a command inside another is found: %s", (line, effect) => {
    const everything = withRules(
      { effect: "allow", command: "** " },
      { effect: "deny", command: "git push **" },
    );
    expect(effectOf(everything, line)).toBe(effect);
  });

  it("[T688] the most specific rule decides; of equals the stricter, then the later", () => {
    const policy = withRules(
      { effect: "ask", command: "npm **" },
      { effect: "allow", command: "npm run *" },
      { effect: "ask", command: "npm run deploy" },
      { effect: "ask", command: "make *" },
      { effect: "allow", command: "make *" },
    );
    expect(effectOf(policy, "npm ci")).toBe("ask");
    expect(effectOf(policy, "npm run build")).toBe("allow");
    expect(effectOf(policy, "npm run deploy")).toBe("ask");
    expect(effectOf(policy, "make all")).toBe("ask");
  });

  it("[T688] redirections are files: writes and reads match rules about paths", () => {
    const policy = withRules(
      { effect: "allow", command: ["cat **", "echo **"] },
      { effect: "allow", on: "write", paths: "$ROOT/**" },
      { effect: "deny", paths: ["~/.ssh/**", "$ROOT/.git/**"] },
    );
    expect(effectOf(policy, "echo a > b")).toBe("allow");
    expect(effectOf(policy, "echo a > /etc/b")).toBe("ask");
    expect(effectOf(policy, "echo a > .git/hooks/x")).toBe("deny");
    expect(effectOf(policy, "cd .git && echo a > config")).toBe("deny");
    expect(effectOf(policy, "cat ~/.ssh/id")).toBe("deny");
    expect(effectOf(policy, "cat /home/me/x/../.ssh/id")).toBe("deny");
    expect(effectOf(policy, 'cat "$F"')).toBe("ask");
    expect(effectOf(policy, "cat a 2>&1 >/dev/null")).toBe("allow");
  });

  it("[T688] two stars between slashes stand for any number of folders, also for none", () => {
    const policy = withRules(
      { effect: "allow", command: "cat **" },
      { effect: "deny", paths: "$ROOT/**/.env" },
    );
    for (const line of ["cat .env", "cat ./.env", "cat a/.env", "cat a/b/.env", "cat < .env"]) {
      expect(effectOf(policy, line)).toBe("deny");
    }
    for (const line of ["cat x.env", "cat .env.sample"]) expect(effectOf(policy, line)).toBe("allow");
  });

  it("[T688] conditions on agent, app, folder, environment and tools", () => {
    const policy = withRules(
      { effect: "allow", command: "make **", agent: "claude*", cwd: "/w/**", env: "MAKEFLAGS" },
      { effect: "deny", env: ["LD_*", "PATH"] },
      { effect: "deny", app: "evil" },
      { effect: "allow", tools: ["read"] },
    );
    expect(effectOf(policy, "make a", { agent: "claude-cli" })).toBe("allow");
    expect(effectOf(policy, "MAKEFLAGS=-k make a", { agent: "claude-cli" })).toBe("allow");
    expect(effectOf(policy, "CC=x make a", { agent: "claude-cli" })).toBe("ask");
    expect(effectOf(policy, "make a", { agent: "claude-cli", env: ["LD_PRELOAD"] })).toBe("deny");
    expect(effectOf(policy, "env PATH=x make", { agent: "claude-cli" })).toBe("deny");
    expect(effectOf(policy, "make a")).toBe("ask");
    expect(effectOf(policy, "make a", { agent: "claude-cli", cwd: "/v" })).toBe("ask");
    expect(effectOf(policy, "true", { app: "evil" })).toBe("deny");
    expect(policy.decide({ ...where, kind: "tool", toolKind: "read" }).effect).toBe("allow");
    expect(policy.decide({ ...where, kind: "tool", toolKind: "edit" }).effect).toBe("ask");
  });

  it("[T688] links are followed where the caller can", () => {
    const policy = withRules({ effect: "allow", command: "cat **", paths: "$ROOT/**" });
    const realPath = (path: string): string => path.replace("/w/p/link", "/etc");
    expect(effectOf(policy, "cat link/passwd")).toBe("allow");
    expect(effectOf(policy, "cat link/passwd", { realPath })).toBe("ask");
  });
});

describe("[T690] presets", () => {
  const reads = new Policy(PRESETS.reads);
  it.each(
    [
      [
        "ls -la src",
        "cat a | head -20 | wc -l",
        "git log --oneline -n 5 -- src",
        "git -C sub --no-pager diff HEAD~1",
      ],
      [
        "rg -n 'a/b' src",
        "grep -rn /x src",
        "find . -name '*.ts' -type f",
        "sed -n 1,20p a",
        "sort -u a | uniq -c",
      ],
      [
        "cd src && ls *.ts || true",
        "if [ -f a ]; then cat a; fi",
        "bash -lc 'git status'",
        "ls src/*.ts",
        "LC_ALL=C sort a",
      ],
      [
        "cat <<'E'\n$(x)\nE",
        "git show HEAD:a 2>/dev/null",
        "timeout 5 rg --files src",
        "cat < a",
        "node --version",
      ],
    ].flat(),
  )("[T690] reads allows: %s", (line) => {
    // A pattern without a folder may become an option.
    expect(effectOf(reads, line)).toBe(line.includes(" *.ts") ? "ask" : "allow");
  });

  it.each(
    [
      [
        "cat /etc/passwd",
        "cat ../x",
        "cd / && cat etc/passwd",
        "cd x; cat y",
        "cat $X",
        "cat ~/.ssh/id",
        "grep -r x /",
        "ls -la /root",
      ],
      [
        "git -c core.pager=x log",
        "git diff --ext-diff",
        "git log --output=x",
        "git diff --no-index --textconv a b",
        "git branch new",
        "git tag v1",
      ],
      [
        "find . -delete",
        "find . -exec cat {} +",
        "find . -fprintf x y",
        "find -L . -name x",
        "rg --pre x y",
        "rg -z x",
        "rg --hostname-bin x y",
      ],
      [
        "sort -o a b",
        "sort --compress-program=x a",
        "sort --out=x a",
        "uniq a b",
        "sed -i s/a/b/ x",
        "sed -n 'w x' a",
        "sed s/a/b/e x",
        "sed --in-place=b p a",
      ],
      [
        "tree -o x",
        "date -s 1",
        "date 01010101",
        "hostname x",
        "file -C",
        "cat a > b",
        "ls | tee b",
        "xargs cat",
        "awk 1 a",
        "tar tf a",
        "less a",
        "man ls",
      ],
      [
        "PATH=. ls",
        "GIT_EXTERNAL_DIFF=x git diff",
        "./ls",
        "src/cat a",
        "env",
        "printenv",
        "export PATH=x; ls",
        "alias ls=x; ls",
        "ls() { x; }; ls",
      ],
      [
        "echo $(ls)",
        "cat <(ls)",
        "ls `x`",
        "printf -v x y",
        "test -v 'a[$(x)]'",
        ". ./x",
        "set -f; ls",
        "X='a[$(x)]'; echo $((X))",
        "npm test",
        "git status &>x",
      ],
    ].flat(),
  )("[T690] reads asks about: %s", (line) => {
    expect(effectOf(reads, line)).toBe("ask");
  });

  it("[T690] build-and-test also builds inside the folder; ask asks; open allows", () => {
    const build = new Policy(PRESETS["build-and-test"]);
    expect(effectOf(build, "npm test -- --run > out.txt 2>&1")).toBe("allow");
    expect(effectOf(build, "cargo build && make all")).toBe("allow");
    expect(effectOf(build, "npm test > .git/config")).toBe("ask");
    expect(effectOf(build, "npm --prefix /x test")).toBe("ask");
    expect(effectOf(build, "git push")).toBe("ask");
    expect(effectOf(new Policy(PRESETS.ask), "ls")).toBe("ask");
    expect(effectOf(new Policy(PRESETS.open), "rm -rf / $(x)")).toBe("allow");
    const restricted = new Policy(PRESETS.open, {
      source: "mine",
      rules: [{ effect: "deny", command: "rm **" }],
    });
    expect(effectOf(restricted, "ls")).toBe("allow");
    expect(effectOf(restricted, "ls $(x)")).toBe("ask");
  });
});

describe("[T691] lists", () => {
  it("[T691] allowed commands, blocked commands and blocked arguments", () => {
    const allowed = new Policy(allowCommands(["npm", "git"]));
    expect(
      ["npm test", "git log; npm ci", "rm x", "git log; rm x", "git log $(x)"].map((line) =>
        effectOf(allowed, line),
      ),
    ).toEqual(["allow", "allow", "deny", "deny", "deny"]);
    const blocked = new Policy(blockCommands(["rm -rf /", "mkfs", "dd if="]));
    expect(
      ["ls", "rm -rf /", "ls && sudo rm -rf /home", "/sbin/mkfs.ext4 x", "dd if=a of=b", "dd of=b"].map(
        (line) => effectOf(blocked, line),
      ),
    ).toEqual(["allow", "deny", "deny", "deny", "deny", "allow"]);
    const plain = new Policy(blockArguments());
    const argv = (...words: string[]): Effect | undefined =>
      plain.decide({ ...where, run: { argv: words } }).effect;
    expect([argv("a", "b"), argv("a", "b;c"), argv("a", "$(b)"), argv("a", "x", "`y`")]).toEqual([
      "allow",
      "deny",
      "deny",
      "deny",
    ]);
  });

  it("[T691] together the strictest holds, in any order", () => {
    for (const policy of [
      new Policy(allowCommands(["npm"]), blockArguments()),
      new Policy(blockArguments(), allowCommands(["npm"])),
    ]) {
      expect(["npm ci", "npm 'a;b'", "rm"].map((line) => effectOf(policy, line))).toEqual([
        "allow",
        "deny",
        "deny",
      ]);
    }
  });
});

describe("[T692] the reference evaluator", () => {
  it("[T692] known words are decided alike, unknown ones never more kindly", () => {
    const numRuns = process.env["HOLDFAST_LONG"] === "1" ? 200_000 : 1500;
    fc.assert(fc.property(policyCases, checkPolicy), { numRuns });
  });
});
