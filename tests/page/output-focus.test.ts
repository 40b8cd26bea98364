// The focus in finished output.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startRealHost, type RealHost } from "../host/real-host.ts";
import { describePage, sharePage } from "./page-test.ts";
import { allow, composer, enterSession, say, terminals, whenConnected } from "./page-walk.ts";

/** How far everything around the last finished output is scrolled, and the rows within it. */
const scrolled = `(() => {
  const found = [];
  const screen = [...document.querySelectorAll('[aria-label^="Screen of"], [aria-label^="Output of"]')].at(-1);
  for (let element = screen; element; element = element.parentElement) found.push(element.scrollTop);
  for (const inner of screen.querySelectorAll("*")) if (inner.scrollTop > 0) found.push(inner.className);
  return [...found, Math.round(screen.getBoundingClientRect().top)].join(" ");
})()`;

describePage("[Z974] the focus in finished output", () => {
  let host: RealHost;

  beforeAll(async () => {
    host = await startRealHost();
  });
  afterAll(async () => {
    await host?.close();
  });

  it("[Z974] scrolls nothing, and Tab leads through it", async () => {
    const { page } = await sharePage(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    await enterSession(page, "shell", host.project);
    const ends = terminals(page).getByText("exit 0", { exact: true });
    // Longer than its place, and so short that most of its screen is empty.
    for (const [index, command] of ["seq 1 60", "seq 1 5"].entries()) {
      await say(page, command);
      await allow(page);
      await ends.nth(index).waitFor();
      const output = page.getByRole("group", { name: `Screen of ${command}` });
      await output
        .getByText("5", { exact: true })
        .or(output.getByText("60", { exact: true }))
        .first()
        .waitFor();
      let before = "";
      await expect
        .poll(async () => {
          const earlier = before;
          before = await page.evaluate<string>(scrolled);
          return earlier === before;
        })
        .toBe(true);
      await output.click({ position: { x: 40, y: 60 } });
      for (const key of ["b", "ArrowDown"]) await page.keyboard.press(key);
      expect(await page.evaluate(scrolled), `a click in ${command}`).toBe(before);

      await composer(page).focus();
      const passed = new Set<string>();
      for (let count = 0; count < 6; count += 1) {
        await page.keyboard.press("Shift+Tab");
        passed.add(await page.evaluate<string>("document.activeElement.ariaLabel ?? ''"));
        expect(await page.evaluate(scrolled), `the focus on ${[...passed].at(-1)}`).toBe(before);
      }
      expect([...passed]).toContain(`Screen of ${command}`);
      expect([...passed]).toContain("Copy output");
    }
  });
});
