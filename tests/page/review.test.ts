// Review in a real browser: a task from its prompt to a commit, comments on lines, reverts, files.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { uriOfKey } from "../../packages/core/src/testing/session-uri.ts";
import { say as answer, update } from "../../packages/core/src/testing/script.ts";
import { violationsInBothThemes } from "./axe.ts";
import { describePage, sharePage } from "./page-test.ts";
import { composer, say, whenConnected } from "./page-walk.ts";
import { startReviewScene, type ReviewScene } from "./review-scene.ts";

const task = "Add a greeting for the evening";

describePage("review", () => {
  let scene: ReviewScene;
  let session = "";

  beforeAll(async () => {
    scene = await startReviewScene({
      "Edit without git": [
        update("tool_call", {
          toolCallId: "edit",
          title: "Edit notes",
          kind: "edit",
          status: "completed",
          content: [{ type: "diff", path: "notes.txt", oldText: "one\n", newText: "two\n" }],
        }),
        answer("Edited."),
      ],
    });
    session = await scene.openSession();
  });
  afterAll(async () => {
    await scene?.close();
  });

  const openChanges = async (page: Page): Promise<Locator> => {
    await page.getByRole("tab", { name: /^Changes/ }).click();
    const diffs = page.getByRole("region", { name: "Diffs" });
    await diffs.waitFor();
    return diffs;
  };
  const openSession = async (view = "", key = session): Promise<Page> => {
    const uri = encodeURIComponent(uriOfKey(key));
    const { page } = await sharePage(`${scene.url}#/session/${uri}${view}`);
    await whenConnected(page);
    return page;
  };
  /** A session of the shell in a new repository; gives its key. */
  const openShell = async (name: string): Promise<string> => {
    const folder = path.join(scene.repository, "..", name);
    mkdirSync(folder);
    execFileSync("git", ["init", "--quiet"], { cwd: folder });
    const wish = { agent_id: "shell", cwd: folder, approvalPolicy: "approve-all" };
    const { session_key: key } = (await scene.api("POST", "/sdk/acp/session", wish))["session"] as {
      readonly session_key: string;
    };
    return key;
  };

  it("[Z840, Z841, Z844] a task goes from its prompt to a commit", { timeout: 120_000 }, async () => {
    const page = await openSession();
    await say(page, task);
    await page.getByText("asks src/evening.ts:1 for the time").waitFor();
    const diffs = await openChanges(page);
    await page.waitForURL(/\/changes$/);
    const files = page.getByRole("navigation", { name: "Changed files" });
    await expect
      .poll(() => files.getByRole("button").allInnerTexts())
      .toEqual([
        "src",
        expect.stringMatching(/^A\s*Added\s*evening\.ts\s*\+3$/) as string,
        expect.stringMatching(/^M\s*Modified\s*greet\.ts\s*\+1\s*−1$/) as string,
        expect.stringMatching(/^M\s*Modified\s*README\.md\s*\+2$/) as string,
      ]);
    await diffs.getByText('"Good evening"').waitFor();
    // Coloured, with the numbers of both sides.
    await expect.poll(() => diffs.locator("code span[style*=color]").count()).toBeGreaterThan(5);
    await diffs.getByRole("button", { name: "Comment on removed line 3" }).waitFor();
    await page.getByRole("button", { name: "Show side by side" }).click();
    await expect
      .poll(() => diffs.getByRole("button", { name: "Comment on line 3", exact: true }).count())
      .toBe(3);
    await page.getByRole("button", { name: "Show unified" }).click();

    await files.getByRole("checkbox", { name: "Stage src/evening.ts" }).click();
    await files.getByText("1 of 3 staged").waitFor();
    await files.getByRole("checkbox", { name: "Stage src/greet.ts" }).click();
    await files.getByText("2 of 3 staged").waitFor();
    await files.getByRole("checkbox", { name: "Stage src/greet.ts" }).click();
    await files.getByText("1 of 3 staged").waitFor();
    expect(scene.git("diff", "--cached", "--name-only")).toBe("src/evening.ts\n");
    await files.getByRole("checkbox", { name: "Stage src/greet.ts" }).click();
    await files.getByText("2 of 3 staged").waitFor();
    await page.getByRole("button", { name: "Commit…" }).click();
    const message = page.getByRole("textbox", { name: "Commit message" });
    expect(await message.inputValue()).toBe(task);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await message.press("Control+Enter");
    await page.getByText(/^Committed [0-9a-f]{8}: Add a greeting/).waitFor();
    await expect.poll(() => files.getByText("committed", { exact: true }).count()).toBe(2);
    expect(scene.git("log", "-1", "--format=%s", "--name-only")).toBe(
      `${task}\n\nsrc/evening.ts\nsrc/greet.ts\n`,
    );
    expect(scene.git("status", "--porcelain")).toBe(" M README.md\n");
  });

  it(
    "[Z843, Z916, Z845] comments on lines go to the agent as one message, and its answer leads to the line",
    { timeout: 120_000 },
    async () => {
      const page = await openSession("/changes");
      const diffs = page.getByRole("region", { name: "Diffs" });
      const evening = diffs.getByRole("button", { name: "Comment on line 2", exact: true }).first();
      await evening.focus();
      await page.keyboard.press("Enter");
      const field = page.getByRole("textbox", { name: "Comment on src/evening.ts, line 2" });
      await field.fill("Make it an hour earlier.");
      expect(await violationsInBothThemes(page)).toEqual([]);
      await field.press("Control+Enter");
      await diffs.getByRole("button", { name: "Comment on line 5", exact: true }).last().click();
      await page.getByRole("textbox", { name: /^Comment on README\.md/ }).fill("Say where.");
      await page.getByRole("button", { name: "Add comment" }).click();
      // They outlive a reload.
      await page.reload();
      const bar = page.getByRole("group", { name: "Review comments" });
      await bar.getByText("2 comments").waitFor();
      await bar.getByRole("button", { name: "Send to agent" }).click();
      await page.getByText("Changed as you asked in src/evening.ts:2.").waitFor();
      const sent = scene.heard.messages.filter(({ method }) => method === "session/prompt");
      expect(sent).toHaveLength(2);
      expect(JSON.stringify(sent.at(-1))).toContain(
        JSON.stringify(
          "Review of your changes, 2 comments:\n\nREADME.md:5\n> Good evening works too.\nSay where.\n\n" +
            "src/evening.ts:2\n>   return now.getHours() >= 18;\nMake it an hour earlier.",
        ).slice(1, -1),
      );
      await page.getByRole("link", { name: "src/evening.ts:2" }).last().click();
      const lines = page.getByRole("region", { name: "Lines" });
      expect(await lines.locator("[aria-current]").innerText()).toMatch(
        /^Comment on line\s+2\s+return now\.getHours\(\) >= 17;$/,
      );
      // A file that is shown whole takes comments as well.
      await lines.getByRole("button", { name: "Comment on line 1", exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("textbox", { name: "Comment on src/evening.ts, line 1" }).fill("Explain this.");
      await page.keyboard.press("Control+Enter");
      await lines.getByRole("article", { name: "Your comment on line 1" }).waitFor();
      await bar.getByText("1 comment").waitFor();
      expect(await violationsInBothThemes(page)).toEqual([]);
      await bar.getByRole("button", { name: "Discard" }).click();
      await page.getByRole("link", { name: "Back to the changes" }).click();
      await expect.poll(() => bar.count()).toBe(0);
    },
  );

  it("[Z995] lines that end in CRLF keep their text when they are coloured, in Changes and in a file", async () => {
    const key = await openShell("windows");
    await scene.send(key, String.raw`printf "const %s;\r\n" "a = 1" "b = 2" "c = 3" > win.ts`);
    const page = await openSession("/changes", key);
    const shown = async (list: Locator): Promise<string[]> => {
      await expect.poll(() => list.locator("code span[style*=color]").count()).toBeGreaterThan(3);
      return (await list.locator("code").allTextContents()).map((text) => text.trimEnd());
    };
    const expected = ["const a = 1;", "const b = 2;", "const c = 3;"];
    expect(await shown(page.getByRole("region", { name: "Diffs" }))).toEqual(expected);
    await page.getByRole("link", { name: "Open win.ts" }).click();
    expect(await shown(page.getByRole("region", { name: "Lines" }))).toEqual(expected);
  });

  it("[Z843, N815] a comment on the last line has the focus, and is not sent to an agent that would run it", async () => {
    const key = await openShell("shell-review");
    await scene.send(key, "seq 2 > notes.txt");
    const page = await openSession("/changes", key);
    const last = page.getByRole("button", { name: /^Comment on line/ }).last();
    await last.focus();
    // In the same moment: the next key may come before a frame is drawn.
    const focusedByClick = page.evaluate(`(async () => {
      document.activeElement.click();
      await undefined;
      return document.activeElement.getAttribute("aria-label");
    })()`);
    expect(await focusedByClick).toBe("Comment on notes.txt, line 2");
    const focused = (): Promise<unknown> =>
      page.evaluate("document.activeElement?.getAttribute('aria-label')");
    await page.keyboard.press("Escape");
    await expect.poll(focused).toBe(await last.getAttribute("aria-label"));
    await page.keyboard.press("Enter");
    await page.keyboard.type("> notes.txt");
    await page.keyboard.press("Control+Enter");
    const bar = page.getByRole("group", { name: "Review comments" });
    await bar.getByText("would run them as commands").waitFor();
    await expect.poll(() => bar.getByRole("button").allInnerTexts()).toEqual(["Discard"]);
    await bar.getByRole("button", { name: "Discard" }).click();
  });

  it(
    "[Z846] a turn is shown alone, and a file and a hunk are reverted after a question",
    { timeout: 120_000 },
    async () => {
      const page = await openSession("/changes");
      const diffs = page.getByRole("region", { name: "Diffs" });
      await diffs.waitFor();
      await page.getByRole("button", { name: /^Changes of/ }).click();
      await page.getByRole("option", { name: /Turn 2/ }).click();
      await page.waitForURL(/\?turn=2$/);
      await page.getByText("1 file", { exact: false }).first().waitFor();
      await diffs.getByRole("button", { name: "Revert hunk at line 1 of src/evening.ts…" }).click();
      const dialog = page.getByRole("dialog");
      expect(await violationsInBothThemes(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      expect(readFileSync(path.join(scene.repository, "src/evening.ts"), "utf8")).toContain("17");
      await diffs.getByRole("button", { name: "Revert hunk at line 1 of src/evening.ts…" }).click();
      await dialog.getByRole("button", { name: "Revert hunk" }).click();
      await expect
        .poll(() => readFileSync(path.join(scene.repository, "src/evening.ts"), "utf8"))
        .toContain("18");
      await page.getByRole("button", { name: /^Changes of/ }).click();
      await page.getByRole("option", { name: "All turns" }).click();
      await diffs.getByRole("button", { name: "Revert README.md…" }).click();
      await dialog.getByRole("button", { name: "Revert file" }).click();
      await expect.poll(() => scene.git("status", "--porcelain")).toBe("");
    },
  );

  it("[Z996] a comment that is being written outlasts its row, its view and the form of another line", async () => {
    const key = await openShell("long-review");
    await scene.send(key, "seq 1000 > long.txt");
    const page = await openSession("/changes", key);
    const diffs = page.getByRole("region", { name: "Diffs" });
    const comment = (line: number): Locator =>
      diffs.getByRole("button", { name: `Comment on line ${line}`, exact: true });
    const field = (line: number): Locator =>
      page.getByRole("textbox", { name: `Comment on long.txt, line ${line}` });
    const scroll = (topPx: number): Promise<unknown> =>
      page.evaluate(`document.querySelector("[data-diff]").scrollTo(0, ${topPx})`);
    const goAndReturn = async (): Promise<void> => {
      await scroll(1e6);
      await expect.poll(() => field(1).count()).toBe(0);
      await scroll(0);
      await field(1).waitFor();
    };
    await comment(1).click();
    await field(1).fill("A long thought");
    await goAndReturn();
    expect(await field(1).inputValue()).toBe("A long thought");
    await comment(2).click();
    await comment(3).click();
    await field(3).waitFor();
    expect(await field(2).count()).toBe(0);
    await page.getByRole("tab", { name: /^Conversation/ }).click();
    await openChanges(page);
    expect(await field(1).inputValue()).toBe("A long thought");
    await field(1).press("Control+Enter");

    const written = diffs.getByRole("article", { name: "Your comment on line 1" });
    await written.getByRole("button", { name: "Edit" }).click();
    await page.keyboard.press("End");
    await page.keyboard.type(", and more");
    await goAndReturn();
    expect(await field(1).inputValue()).toBe("A long thought, and more");
    // By key: rows above may still be measured, and move it.
    await comment(4).press("Enter");
    await field(4).fill("Another one");
    await page.reload();
    await field(4).waitFor();
    expect(await field(4).inputValue()).toBe("Another one");
    await field(4).press("Escape");
    expect(await field(1).inputValue()).toBe("A long thought, and more");
    await field(1).press("Control+Enter");
    await written.getByText("A long thought, and more").waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
  });

  it("[Z31] outside a repository, the edits that the agent reported are shown, and nothing can be undone", async () => {
    const folder = path.join(scene.host.project, "plain");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "notes.txt"), "two\n");
    const key = await scene.openSession(folder);
    await scene.send(key, "Edit without git");
    const page = await openSession("/changes", key);
    await page.getByText("not in a git repository").waitFor();
    await page.getByRole("region", { name: "Diffs" }).getByText("two").waitFor();
    expect(await page.getByRole("button", { name: /^Revert/ }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Commit…" }).count()).toBe(0);
    await page.getByRole("tab", { name: /^Conversation/ }).click();
    await composer(page).waitFor();
  });
});
