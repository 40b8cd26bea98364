// `holdfast permissions`: what is allowed for always; listed and removed (C600).
import type { Holdfast, PermissionRuleInfo } from "@holdfast/sdk";
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { tableLines } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeText } from "../safe-text.ts";
import { ambiguousName, shortName } from "../short-name.ts";
import { ageWord } from "../time.ts";
import { hostCommand, type Runner } from "./command.ts";
import { shortSessionName } from "./session-name.ts";

export function addPermissions(program: Command, run: Runner): void {
  const permissions = program.command("permissions").description("list and remove what is always allowed");
  hostCommand(permissions, "ls", "list what is always allowed").action(
    run(async ({ console, host }) => {
      const { api } = await host({ mayMakeHome: false });
      const rules = await api.permissionRules.list();
      if (console.json) return console.printJson(rules);
      if (rules.length === 0) return console.note("Nothing is always allowed.");
      const columns = ["RULE", "ALLOWED", "WHERE", "AGENT", "AGE"].map((heading) => ({ heading }));
      const nowMs = Date.now();
      const rows = rules.map((rule) => ruleRow(rule, nowMs));
      for (const line of tableLines(columns, rows, console.paint)) await console.print(line);
      return undefined;
    }),
  );
  hostCommand(permissions, "remove", "remove a rule; what it allowed is asked about again")
    .argument("<rule>", "id of the rule or a prefix of it")
    .action(
      run(async ({ console, host }, word: string) => {
        const { api } = await host();
        const rule = await findRule(api, word);
        await api.permissionRules.remove(rule.id);
        if (console.json) return console.printJson(rule);
        return console.note(`Removed: ${allowedText(rule)} is asked about again.`);
      }),
    );
}

async function findRule(api: Holdfast, word: string): Promise<PermissionRuleInfo> {
  const found = (await api.permissionRules.list()).filter(({ id }) => word !== "" && id.startsWith(word));
  const [first, second] = found;
  if (first === undefined) {
    throw new CommandError("RULE_NOT_FOUND", `There is no permission rule "${safeText(word)}".`, {
      exitCode: EXIT_CODES.missing,
      remedy: "`holdfast permissions ls` lists the rules.",
    });
  }
  if (second === undefined) return first;
  const several = { code: "RULE_AMBIGUOUS", noun: "rules", remedy: "Name one by its id." };
  throw ambiguousName(
    several,
    word,
    found.map(({ id }) => id),
  );
}

function ruleRow(rule: PermissionRuleInfo, nowMs: number): string[] {
  const { id, session_key, folder, agent_id, createdAt } = rule;
  const place = session_key === undefined ? safeText(folder ?? "") : shortSessionName(session_key);
  return [shortName(id), allowedText(rule), place, safeText(agent_id), ageWord(createdAt, nowMs)];
}

/** The subject of a rule in one line. */
export function allowedText({ subject }: Pick<PermissionRuleInfo, "subject">): string {
  if (subject.kind === "command") {
    const { line = "", cwd, environment, isolation } = subject;
    const changes = environment.map(({ name, value }) =>
      value === undefined ? `${name} unset` : `${name}=${value}`,
    );
    const changed = changes.length === 0 ? "" : ` with ${changes.join(", ")}`;
    return safeText(`${line} in ${cwd}${changed}${isolation === undefined ? "" : ` (${isolation})`}`);
  }
  if (subject.kind !== "write") return subject.kind;
  return `write ${subject.files.map(({ path }) => safeText(path)).join(", ")}`;
}
