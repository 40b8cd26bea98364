// `holdfast apps`: the apps that are known by an id, and what they are let do (C54).
import { APP_PERMISSIONS } from "@holdfast/protocol";
import type { App, AppPermission, Holdfast } from "@holdfast/sdk";
import { type Command, Option } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { tableLines } from "../console.ts";
import { addCeilingOptions, type CeilingOptions, ceilingWords, readCeiling } from "./ceiling.ts";
import { type CommandContext, hostCommand, type Runner } from "./command.ts";
import { safeText } from "../safe-text.ts";

interface GrantOptions extends CeilingOptions {
  readonly permission?: readonly AppPermission[];
  readonly name?: string;
}

export function addApps(program: Command, run: Runner): void {
  const apps = program.command("apps").description("grant and revoke access of apps known by an id");
  hostCommand(apps, "ls", "list apps, pending ones first").action(
    run(async ({ console, host }) => {
      const { api } = await host({ mayMakeHome: false });
      const listed = await api.apps.list();
      if (console.json) return console.printJson(listed);
      if (listed.length === 0) return console.note("No app has requested access.");
      const columns = ["APP", "STATE", "ASKED FOR", "MAY", "CEILING", "NAME"].map((heading) => ({ heading }));
      const rows = listed.toSorted((one, other) => rank(one) - rank(other)).map(appRow);
      for (const line of tableLines(columns, rows, console.paint)) await console.print(line);
      return undefined;
    }),
  );
  const grant = hostCommand(apps, "grant", "grant an app the scopes it requested, or those you name")
    .argument("<app>", "the app's id")
    .addOption(
      new Option("--permission <permission...>", "what it may do (default: what it asked for)").choices(
        APP_PERMISSIONS,
      ),
    )
    .option("--name <name>", "display name, for an app that has not sent one");
  addCeilingOptions(grant).action(
    run(async (context, id: string, { permission, name, ...options }: GrantOptions) => {
      const { api } = await context.host();
      const permissions = permission ?? (await requestedBy(api, id));
      const ceiling = readCeiling(options, context.cwd);
      const wanted = { ...(name !== undefined && { name }), ...(ceiling !== undefined && { ceiling }) };
      return report(context, await api.apps.grant(id, permissions, wanted));
    }),
  );
  hostCommand(apps, "deny", "deny an app access permanently")
    .argument("<app>", "the app's id")
    .action(
      run(async (context, id: string) => {
        const { api } = await context.host();
        return report(context, await api.apps.deny(id));
      }),
    );
  hostCommand(apps, "remove", "remove an app; it may request access again")
    .argument("<app>", "the app's id")
    .action(
      run(async ({ console, host }, id: string) => {
        const { api } = await host();
        await api.apps.remove(id);
        return console.json
          ? console.printJson({ id, removed: true })
          : console.note(`Removed ${safeText(id)}.`);
      }),
    );
}

async function requestedBy(api: Holdfast, id: string): Promise<readonly AppPermission[]> {
  const app = (await api.apps.list()).find((each) => each.id === id);
  if (app !== undefined && app.requested.length > 0) return app.requested;
  throw new CommandError("PERMISSION_NEEDED", `The app "${safeText(id)}" has not requested a permission.`, {
    exitCode: EXIT_CODES.setup,
    remedy: `Name what it may do with --permission: ${APP_PERMISSIONS.join(", ")}.`,
  });
}

async function report({ console }: CommandContext, app: App): Promise<void> {
  if (console.json) return console.printJson(app);
  const may = app.state === "granted" ? ` and may use ${app.permissions.join(", ")}` : "";
  return console.note(`${safeText(app.id)} is ${app.state}${may}.`);
}

function rank({ state }: App): number {
  return state === "waiting" ? 0 : 1;
}

function appRow(app: App): string[] {
  const { id, name, requested, state } = app;
  const may = state === "granted" ? app.permissions.join(",") : "-";
  const most = state === "granted" ? ceilingWords(app.ceiling) : "-";
  return [id, state, requested.length === 0 ? "-" : requested.join(","), may, most, name].map(safeText);
}
