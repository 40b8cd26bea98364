// Screenshots for the documents: a page of a host in a browser, whole or in part.
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { TestedHost } from "../host/real-host.ts";
import { whenConnected } from "./page-walk.ts";

/** Where the documents have their pictures. */
export const pictureFolder = fileURLToPath(new URL("../../docs/images/", import.meta.url));

/** Where the pictures of every view go, which nobody keeps. */
export const viewFolder = fileURLToPath(new URL("../../dist/pictures/", import.meta.url));

/** Opens the page of a host in a new browser context. */
export async function openPage(
  browser: Browser,
  { url, token }: TestedHost,
  options: BrowserContextOptions,
): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  await page.goto(`${url}/?tkn=${token}`);
  await whenConnected(page);
  return page;
}

/** Takes a picture of all that the window shows. */
export async function take(page: Page, name: string): Promise<void> {
  await page.evaluate("document.fonts.ready");
  await page.screenshot({ path: fileOf(name), animations: "disabled" });
  process.stdout.write(`${name}.png\n`);
}

/** Takes a picture of one part of the page with a margin around it, down to its last element that is shown. */
export async function takePart(part: Locator, name: string, last = part): Promise<void> {
  const page = part.page();
  await page.evaluate("document.fonts.ready");
  await part.scrollIntoViewIfNeeded();
  const [whole, end] = await Promise.all([part.boundingBox(), last.boundingBox()]);
  if (whole === null || end === null) throw new Error(`${name}: there is nothing to see`);
  const { x, y, width } = whole;
  const height = end.y + end.height - y + (last === part ? 2 : 1) * margin;
  const clip = { x: x - margin, y: y - margin, width: width + 2 * margin, height };
  await page.screenshot({ path: fileOf(name), animations: "disabled", clip });
  process.stdout.write(`${name}.png\n`);
}

const margin = 14;

function fileOf(name: string): string {
  return path.join(pictureFolder, `${name}.png`);
}
