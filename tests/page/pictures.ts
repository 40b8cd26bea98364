// Makes the pictures of the documents, and one of every view into `dist/pictures`: `npm run pictures`.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { startRealHost } from "../host/real-host.ts";
import build from "../setup/build.ts";
import { takeGuidePictures } from "./guide-pictures.ts";
import { cannotBrowse, startBrowser } from "./page-browser.ts";
import { allow, chooseAction, openShellSession, say, terminals, typeInto } from "./page-walk.ts";
import { openPage, pictureFolder, take, viewFolder } from "./picture.ts";
import { takeViewPictures } from "./view-pictures.ts";

const desktop = { viewport: { width: 1280, height: 800 } } as const;
const phone = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, isMobile: true } as const;

/** Names the session that is shown, as a person would. */
async function rename(page: Page, name: string): Promise<void> {
  await chooseAction(page, "Rename");
  await page.getByRole("textbox", { name: "Session name" }).fill(name);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name }).waitFor();
}

/** A few sessions in different states, and a shell. */
async function fill(page: Page, project: string): Promise<void> {
  writeFileSync(path.join(project, "notes.md"), "# Notes\n\nWater the roses.\n");
  await openShellSession(page, project);
  await say(page, "/write notes.md # Notes\n\nWater the roses, and the beans.\n");
  await page.getByRole("button", { name: "Allow once", exact: true }).click();
  await page.getByText("Done", { exact: true }).last().waitFor();
  await rename(page, "Notes for the garden");
  await openShellSession(page, project);
  await say(page, "find /usr/lib -name '*.so' | head -n 400 | xargs rm");
  await page.getByRole("group", { name: /^Permission/ }).waitFor();
  await rename(page, "Clean up");
  await openShellSession(page, project);
  await say(page, "for i in 1 2 3; do echo building part $i; done; exec sh -i");
  await allow(page);
  await rename(page, "Build");
  await terminals(page).getByRole("button", { name: "Take over" }).click();
  await terminals(page).getByText("held by you").waitFor();
  await typeInto(terminals(page), "ls -la\n");
  await terminals(page).getByText("notes.md").first().waitFor();
}

/** The pictures that README and guides show. */
async function takeDocumentPictures(): Promise<void> {
  mkdirSync(pictureFolder, { recursive: true });
  const [host, browser] = await Promise.all([startRealHost(), startBrowser()]);
  try {
    const first = await openPage(browser, host, { ...desktop, colorScheme: "light" });
    await first.getByText("Looking for agents").waitFor({ state: "detached" });
    await take(first, "welcome-light");
    await fill(first, host.project);
    await take(first, "session-light");
    const dark = await openPage(browser, host, { ...desktop, colorScheme: "dark" });
    await dark
      .getByRole("link", { name: /Notes for the garden/ })
      .first()
      .click();
    // The diff and the text come in separate files, which are fetched when they are needed.
    await dark.getByText("−1", { exact: true }).waitFor();
    await dark.locator("code", { hasText: "notes.md" }).first().waitFor();
    await take(dark, "changes-dark");
    await dark.getByRole("link", { name: /Terminals/ }).click();
    await dark.getByRole("button", { name: "Open a shell" }).click();
    const shell = terminals(dark).filter({ hasText: "held by you" });
    await typeInto(shell, "ls --color=always -l /usr\n");
    await shell.getByText("share").first().waitFor();
    await take(dark, "terminals-dark");
    const small = await openPage(browser, host, { ...phone, colorScheme: "light" });
    await take(small, "sessions-phone");
    await small.getByRole("link", { name: /Inbox/ }).click();
    await small.getByRole("group", { name: /^Permission/ }).waitFor();
    await take(small, "inbox-phone");
    await takeGuidePictures(browser);
  } finally {
    await browser.close();
    await host.close();
  }
}

/** With names: only these views, and no picture of the documents. */
async function main(names: readonly string[]): Promise<void> {
  await build();
  await takeViewPictures(viewFolder, names);
  if (names.length === 0) await takeDocumentPictures();
}

if (cannotBrowse === undefined) await main(process.argv.slice(2));
else {
  process.stderr.write(`No pictures: ${cannotBrowse}\n`);
  process.exitCode = 1;
}
