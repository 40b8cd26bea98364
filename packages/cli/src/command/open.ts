// `holdfast open`: the page in a browser, signed in by a link that works once (C622).
import { spawn } from "node:child_process";
import process from "node:process";
import type { Command } from "commander";
import { type CommandContext, hostCommand, type Runner } from "./command.ts";

interface OpenOptions {
  readonly print?: boolean;
}

export function addOpen(program: Command, run: Runner): void {
  hostCommand(program, "open", "open the page in a browser, signed in")
    .option("--print", "only print the link")
    .addHelpText(
      "after",
      "\nThe link signs one browser in, once, within 10 minutes. `holdfast sign-ins ls` lists the browsers.",
    )
    .action(run((context, options: OpenOptions) => open(context, options)));
}

async function open(
  { console, host, environment }: CommandContext,
  { print = false }: OpenOptions,
): Promise<void> {
  const { api, place } = await host();
  const { path, expiresAt } = await api.signIns.createLink();
  const url = place.url + path;
  if (console.json) return console.printJson({ url, expiresAt });
  await console.print(url);
  const browser = print ? undefined : browserCommand(environment);
  if (browser === undefined) return undefined;
  return startBrowser(browser, url).catch(() =>
    console.note("No browser could be started: open the link yourself."),
  );
}

/** The command that opens an address; undefined where nobody would see a browser. */
function browserCommand(
  environment: CommandContext["environment"],
): readonly [string, ...string[]] | undefined {
  switch (process.platform) {
    case "darwin":
      return ["open"];
    case "win32":
      return ["rundll32", "url.dll,FileProtocolHandler"];
    default: {
      const isSeen = [environment["DISPLAY"], environment["WAYLAND_DISPLAY"]].some(
        (name) => name !== undefined,
      );
      return isSeen && environment["SSH_CONNECTION"] === undefined ? ["xdg-open"] : undefined;
    }
  }
}

/** Resolves when it was started; it outlives this program. */
function startBrowser([command, ...words]: readonly [string, ...string[]], url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...words, url], { detached: true, stdio: "ignore" });
    child.once("error", reject).once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}
