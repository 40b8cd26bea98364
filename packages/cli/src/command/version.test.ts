// The version, as the package has it.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { runWords } from "../testing/command-run.ts";

it("[C60] version and --version say what package.json says", async () => {
  const file = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  expect(await runWords(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  expect(await runWords(["-V"])).toMatchObject({ stdout: `${version}\n` });
  const { stdout } = await runWords(["version", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ version, node: process.version });
  expect((await runWords(["version"])).stdout).toMatch(new RegExp(`^holdfast ${version} \\(Node v`));
});
