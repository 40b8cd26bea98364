// The configuration file: written with every setting explained, and checked.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runWords } from "../testing/command-run.ts";
import { temporaryFolder } from "../testing/temporary-home.ts";
import { configTemplate } from "./config.ts";

describe("[C58] config", () => {
  it("[C58] init writes a file that means the defaults, and not over one that is there", async () => {
    const home = path.join(temporaryFolder(), "home");
    const file = path.join(home, "config.jsonc");
    const written = await runWords(["config", "init", "--home", home]);
    expect(written).toEqual({ code: 0, stdout: `${file}\n`, stderr: "" });
    expect(statSync(home).mode & 0o777).toBe(0o700);
    const defaults = await runWords(["config", "check", "--json", "--home", temporaryFolder()]);
    const checked = await runWords(["config", "check", "--json", "--home", home]);
    expect(checked).toEqual(defaults);
    expect(JSON.parse(checked.stdout)).toMatchObject({ listen: { port: 4747 }, maxSessions: 64 });
    writeFileSync(file, `{"maxSessions": 3}`);
    const again = await runWords(["config", "init", "--home", home]);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain(`"code":"CONFIG_EXISTS"`);
    expect(readFileSync(file, "utf8")).toBe(`{"maxSessions": 3}`);
    expect((await runWords(["config", "init", "--force", "--home", home])).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(configTemplate());
  });

  it("[C58] every setting that init shows is valid when it is uncommented", async () => {
    const home = temporaryFolder();
    const settings = configTemplate().replaceAll(/^( *)\/\/ ("\w+": )/gm, "$1$2");
    expect(settings).not.toContain("undefined");
    expect(settings.match(/^ *"/gm)?.length).toBeGreaterThan(15);
    writeFileSync(path.join(home, "config.jsonc"), settings);
    const { code, stdout, stderr } = await runWords(["config", "check", "--home", home]);
    expect(stderr).toBe("");
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${path.join(home, "config.jsonc")} is valid.\n` });
  });

  it("[C58] check lists every mistake with its path, and ends with 2", async () => {
    const file = path.join(temporaryFolder(), "mine.jsonc");
    writeFileSync(file, `{\n  "maxSessions": 0,\n  "listen": {"port": "x", "prot": 1}\n}`);
    const wrong = await runWords(["config", "check", "--config", file]);
    expect(wrong.code).toBe(2);
    const { error } = JSON.parse(wrong.stderr) as { error: { code: string; message: string } };
    expect(error.code).toBe("CONFIG_INVALID");
    for (const place of ["maxSessions", "listen.port", "prot"]) expect(error.message).toContain(place);
    writeFileSync(file, `{\n  "maxSessions": 3 "x"\n}`);
    const broken = await runWords(["config", "check", "--config", file]);
    expect(broken.stderr).toContain("line 2, column 20");
  });

  it("[N282] check reports entries that the catalogue cannot complete, and ends with 2", async () => {
    const home = temporaryFolder();
    const agents = {
      work: { extends: "nobody" },
      mine: { label: "Mine" },
      claude: { command: "/opt/claude" },
    };
    writeFileSync(path.join(home, "config.jsonc"), JSON.stringify({ agents }));
    const { code, stderr } = await runWords(["config", "check", "--home", home]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "agents.work.extends names nobody, which is not in the catalogue. It has: shell,",
    );
    expect(stderr).toContain(
      "agents.mine.command is required, unless the agent extends one of the catalogue.",
    );
    expect(stderr).not.toContain("agents.claude");
  });
});
