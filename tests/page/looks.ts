// Takes screenshots of the first commands on the page, at device pixel ratio 1 and with classic scrollbars, for a person
// to look at: `npm run looks -- FOLDER`.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startRealHost } from "../host/real-host.ts";
import build from "../setup/build.ts";
import { cannotBrowse, startBrowser } from "./page-browser.ts";
import { allow, openShellSession, say, terminals, whenConnected, whenIdle } from "./page-walk.ts";

const firstCommands = [
  "ls",
  "pwd",
  "echo hello",
  "git status",
  "cat file_with_underscores.txt",
  "ls --color=always -la /etc",
  "seq 1 500",
  "false",
  "sleep 2",
  "python3 -c 'print(1)'",
  "top -b -n1",
];

async function main(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await build();
  const [host, browser] = await Promise.all([startRealHost(), startBrowser({ scrollbars: "classic" })]);
  try {
    writeFileSync(path.join(host.project, "file_with_underscores.txt"), "_one_ line_with_underscores_\n");
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      deviceScaleFactor: 1,
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    await page.goto(`${host.url}/?tkn=${host.token}`);
    await whenConnected(page);
    for (const [index, command] of firstCommands.entries()) {
      await openShellSession(page, host.project);
      await say(page, command);
      await allow(page);
      await terminals(page).waitFor();
      await whenIdle(page);
      await page.getByText("Loading the screen").waitFor({ state: "detached" });
      const name = `${String(index + 1).padStart(2, "0")}-${command.replaceAll(/\W+/g, "-")}.png`;
      await page.screenshot({ path: path.join(folder, name) });
      process.stdout.write(`${name}\n`);
    }
  } finally {
    await browser.close();
    await host.close();
  }
}

if (cannotBrowse === undefined) await main(process.argv[2] ?? "looks");
else {
  process.stderr.write(`No screenshots: ${cannotBrowse}\n`);
  process.exitCode = 1;
}
