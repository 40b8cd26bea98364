// `holdfast keys`: what apps come in with; made, listed and revoked (C54).
import type { ApiKey, Holdfast, KeyRequest } from "@holdfast/sdk";
import { PERMISSIONS } from "@holdfast/protocol";
import { type Command, Option } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { tableLines } from "../console.ts";
import { ageWord } from "../time.ts";
import { addCeilingOptions, type CeilingOptions, ceilingWords, readCeiling } from "./ceiling.ts";
import { hostCommand, type Runner } from "./command.ts";
import { safeText } from "../safe-text.ts";
import { ambiguousName } from "../short-name.ts";

interface CreateOptions extends CeilingOptions {
  readonly name: string;
  readonly scope: KeyRequest["scopes"];
}

export function addKeys(program: Command, run: Runner): void {
  const keys = program.command("keys").description("create, list and revoke API keys");
  const create = hostCommand(keys, "create", "create a key; it is printed once, to stdout")
    .requiredOption("--name <name>", "which app it is for")
    .addOption(
      new Option("--scope <scope...>", "what it allows; admin allows everything")
        .choices(PERMISSIONS)
        .default(["acp.agent"]),
    );
  addCeilingOptions(create)
    .addHelpText(
      "after",
      "\nA request above the ceiling (--policy, --root, --agents) fails with 403 CEILING_EXCEEDED." +
        "\nThe app decides the approvals of its sessions; a key with the scope admin has no ceiling.",
    )
    .action(
      run(async ({ console, host, cwd }, { name, scope, ...options }: CreateOptions) => {
        const { api } = await host();
        const ceiling = readCeiling(options, cwd);
        const created = await api.keys.create({
          name,
          scopes: [...new Set(scope)],
          ...(ceiling !== undefined && { ceiling }),
        });
        if (console.json) return console.printJson(created);
        await console.print(created.secret);
        return console.note(
          `Save it now: it is not shown again. \`holdfast keys revoke ${created.key.id}\` revokes it.`,
        );
      }),
    );
  hostCommand(keys, "ls", "list the keys").action(
    run(async ({ console, host }) => {
      const { api } = await host({ mayMakeHome: false });
      const listed = await api.keys.list();
      if (console.json) return console.printJson(listed);
      const { paint } = console;
      const columns = ["KEY", "STATE", "LAST USED", "SCOPES", "CEILING", "NAME"].map((heading) => ({
        heading,
      }));
      const nowMs = Date.now();
      for (const line of tableLines(
        columns,
        listed.map((key) => keyRow(key, nowMs)),
        paint,
      )) {
        await console.print(line);
      }
      return undefined;
    }),
  );
  hostCommand(keys, "revoke", "revoke a key immediately")
    .argument("<key>", "id of the key or a prefix of it, or its name")
    .action(
      run(async ({ console, host }, word: string) => {
        const { api } = await host();
        const key = await api.keys.revoke((await findKey(api, word)).id);
        if (console.json) return console.printJson(key);
        return console.note(`Revoked "${safeText(key.name)}" (${safeText(key.id)}).`);
      }),
    );
}

async function findKey(api: Holdfast, word: string): Promise<ApiKey> {
  const listed = await api.keys.list();
  const exact = listed.filter(({ id }) => id === word);
  // A name may be given again once its first key was revoked.
  const meant = ({ id, name, revokedAt }: ApiKey): boolean =>
    revokedAt === null && (id.startsWith(word) || name === word);
  const found = exact.length > 0 ? exact : listed.filter((key) => word !== "" && meant(key));
  const [first, second] = found;
  if (first === undefined) {
    throw new CommandError("KEY_NOT_FOUND", `There is no key "${safeText(word)}".`, {
      exitCode: EXIT_CODES.missing,
      remedy: "`holdfast keys ls` lists the keys.",
    });
  }
  if (second === undefined) return first;
  const several = { code: "KEY_AMBIGUOUS", noun: "keys", remedy: "Name one by its id." };
  throw ambiguousName(
    several,
    word,
    found.map(({ id }) => id),
  );
}

function keyRow({ id, name, scopes, ceiling, lastUsedAt, revokedAt }: ApiKey, nowMs: number): string[] {
  return [
    safeText(id),
    revokedAt === null ? "valid" : "revoked",
    lastUsedAt === null ? "never" : `${ageWord(lastUsedAt, nowMs)} ago`,
    scopes.join(","),
    ceilingWords(ceiling),
    safeText(name),
  ];
}
