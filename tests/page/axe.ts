// The rules of axe, on a page as it is.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const require = createRequire(import.meta.url);

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** To read axe takes a page as long as to run it: the short form, and once per document. */
const source = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** The rules whose result depends on colours, and so on the theme. */
const colourRules = ["color-contrast", "link-in-text-block"];

/** What breaks a rule, each with its place. */
export function violations(page: Page): Promise<string[]> {
  return run(page, {});
}

/** Texts within elements that cannot be read for their colours. */
export function contrastViolations(page: Page, selector: string): Promise<string[]> {
  return run(page, { runOnly: ["color-contrast"] }, selector);
}

/** The same in both themes, whichever the page is in: all rules in one, and those of colours in the other. */
export async function violationsInBothThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const found = await run(page, {});
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  return [...found, ...(await run(page, { runOnly: colourRules }))];
}

async function run(page: Page, options: object, selector = "html"): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(source);
  // Of results that are no violations, one node each: nobody reads the others.
  const all = JSON.stringify({ ...options, resultTypes: ["violations"] });
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run(${JSON.stringify(selector)}, ${all}).then((result) => result.violations)`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ""}`),
  );
}
