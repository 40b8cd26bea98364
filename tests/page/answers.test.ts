// Answers of an agent: Markdown that cannot do anything, and code that is coloured when it is whole and in sight.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startHostInProcess } from "../host/host-in-process.ts";
import type { TestedHost } from "../host/real-host.ts";
import { contrastViolations } from "./axe.ts";
import { forgetTasks, longestTaskMs, maxTaskMs } from "./page-browser.ts";
import { describePage, openPage, sharePage } from "./page-test.ts";
import { composer, enterSession, say, whenConnected } from "./page-walk.ts";

const code = [
  "// A & B",
  "export const greeting: string = `Hello ${name} <b>`;",
  "/* over",
  ...Array.from({ length: 60 }, (_, index) => `const inside${index}`),
  "*/",
  ...Array.from({ length: 80 }, (_, index) => `export function f${index}(a: number) { return [a, "b"]; }`),
  "function last() { return 4711; }",
].join("\n");
const answer = ["", "", "```ts", code, "```", "", "```klingon", "const none = 1", "```"].join("\n");

const attack = [
  "**bold**",
  "<img src=x onerror='globalThis.isHacked = true'>",
  "<script>globalThis.isHacked = true</script>",
  "<a href='javascript:globalThis.isHacked = true'>link one</a>",
  "[link two](javascript:globalThis.isHacked=true)",
  "[link three](https://example.org/)",
  "<style>body { display: none }</style>",
  "<form action='https://example.org/'><input name='token'></form>",
].join(" ");

describePage("[Z9, Z28] answers in the page", () => {
  let host: TestedHost;

  beforeAll(async () => {
    host = await startHostInProcess();
  });
  afterAll(async () => {
    await host?.close();
  });

  async function openEcho(open = sharePage): Promise<{ page: Page; faults: string[] }> {
    const opened = await open(`${host.url}/?tkn=${host.token}`);
    const { page } = opened;
    await whenConnected(page);
    await enterSession(page, "qwen", host.project);
    return opened;
  }

  it("[Z9, Z34] code has colours that can be read, light and dark, and reads as before", async () => {
    const { page, faults } = await openEcho(openPage);
    const fetched: string[] = [];
    page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
    await say(page, "No code yet");
    await page.getByText("Done", { exact: true }).waitFor();
    expect(fetched.filter((name) => name.includes("code-worker"))).toEqual([]);
    const blocks = page.getByRole("log", { name: "Conversation" }).locator("pre code");
    let taskMs = Number.POSITIVE_INFINITY;
    let number = "";
    // Repeated until it shows: now and then another process has the processor for seconds.
    for (let count = 1; count <= 3 && taskMs >= maxTaskMs; count += 1) {
      number = `471${count}`;
      await composer(page).fill(answer.replace("4711", number));
      // To fill in so much at once takes its own time, and is reported a little later.
      await page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))");
      await forgetTasks(page);
      await composer(page).press("Enter");
      await blocks.locator("span span", { hasText: number }).waitFor();
      taskMs = await longestTaskMs(page);
      console.log(`longest task while code got its colours: ${taskMs} ms`);
    }
    expect(taskMs).toBeLessThan(maxTaskMs);
    expect(await blocks.nth(-2).textContent()).toBe(`${code.replace("4711", number)}\n`);
    expect(await blocks.nth(-2).locator("b").count()).toBe(0);
    expect(await blocks.nth(-1).locator("span").count()).toBe(0);
    // Keyword, text, comment, name of a function and number, and a comment over many lines.
    const colourOf = (text: string): Promise<string> =>
      page.evaluate<string>(`getComputedStyle([...document.querySelectorAll("pre code span span")]
            .find((span) => span.textContent.includes(${JSON.stringify(text)}))).color`);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const colours = await Promise.all(["export", "Hello", "A & B", "last", number].map(colourOf));
      expect(new Set(colours).size).toBe(5);
      expect(await colourOf("inside59")).toBe(await colourOf("A & B"));
      expect(await contrastViolations(page, "pre")).toEqual([]);
    }
    expect(fetched.filter((name) => name.includes("code-worker"))).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  it("[Z9] code stays plain while its fence is open", async () => {
    const { page } = await openEcho();
    await say(page, "\n\n```ts\nconst whole = 1\n```\n\n```ts\nconst open = 2");
    const blocks = page.getByRole("log", { name: "Conversation" }).locator("pre code");
    await blocks.first().locator("span span", { hasText: "const" }).waitFor();
    await page.getByText("Done", { exact: true }).waitFor();
    expect(await blocks.nth(1).textContent()).toBe("const open = 2\n");
    expect(await blocks.nth(1).locator("span").count()).toBe(0);
  });

  it("[Z28] Markdown is shown, and nothing in it runs, is sent or changes the page", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`, {
      // The browser logs what it blocks.
      expectedFaults: /Content Security Policy|Failed to load resource/,
    });
    await whenConnected(page);
    await enterSession(page, "qwen", host.project);
    await say(page, attack);
    const log = page.getByRole("log", { name: "Conversation" });
    await log.locator("strong", { hasText: "bold" }).waitFor();
    await log.getByRole("button", { name: "Thought: Let me think." }).waitFor();
    await page.getByText("Done", { exact: true }).waitFor();
    expect(await log.locator("script, style, form, input, iframe").count()).toBe(0);
    expect(await log.locator("[onerror], [href^='javascript']").count()).toBe(0);
    const link = log.getByRole("link", { name: "link three" });
    expect([await link.getAttribute("target"), await link.getAttribute("rel")]).toEqual([
      "_blank",
      "noopener noreferrer",
    ]);
    expect(await page.evaluate("globalThis.isHacked")).toBeUndefined();
  });
});
