// Package dependency rules, import borders inside packages, and the check for violations.
import path from "node:path";
import { importsOf, isForTests, type Import, type SourceFile } from "./source-file.ts";

/** Dependencies one package may have. */
export interface PackageRules {
  /** Its contents, for the table in ARCHITECTURE.md. */
  readonly contents: string;
  /** Other packages (`core`), or single entries of them (`terminal/view`). */
  readonly uses: readonly string[];
  /** Packages of which only types may be used. */
  readonly usesTypesOf?: readonly string[];
  /** Further packages for its tests: real peers instead of mocks; not dependencies. */
  readonly testsUse?: readonly string[];
  /** The only packages from npm it may import; absent: no rule. */
  readonly npm?: readonly string[];
  /** Runs in browsers too: imports nothing of Node. */
  readonly isBrowserSafe?: boolean;
  /** Folders that reach nothing of some others, directly or through files between them. */
  readonly borders?: Readonly<Record<string, Border>>;
}

/** Folders and Node modules that a folder inside a package must not reach. */
export interface Border {
  readonly neverReaches: readonly string[];
  /** The only modules of Node it may reach; absent: no rule. */
  readonly nodeModules?: readonly string[];
  /** The only packages it may reach, ours or from npm; absent: no rule. */
  readonly packages?: readonly string[];
}

/** The fields of a package's manifest that declare dependencies. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface PackageSources {
  readonly name: string;
  readonly manifest: Manifest;
  readonly files: readonly SourceFile[];
}

const scope = "@holdfast/";

/** Rules for every package. A package missing here fails the check. */
export const packageRules: Readonly<Record<string, PackageRules>> = {
  protocol: {
    contents:
      "contracts of the app API: operations, stream events, error codes, configuration, the schema of the agent catalogue; browser-safe",
    uses: ["ahp"],
    npm: ["zod"],
    isBrowserSafe: true,
  },
  jsonrpc: {
    contents: "JSON-RPC for ACP and AHP; browser-safe",
    uses: [],
    npm: [],
    isBrowserSafe: true,
  },
  ahp: {
    contents:
      "the model (states, actions, pure reducers), `dialects/` (the model in each version of AHP), `client/`; browser-safe",
    uses: ["jsonrpc"],
    npm: [],
    isBrowserSafe: true,
  },
  terminal: {
    contents:
      "the engine: `process/` (port, spawner, PTYs, pipes, process trees, limits), `sandbox/` (isolation of runs), `keeper/` (runs that outlive their host), `view/` (ring, scanner, text, command index; pure), `screen/`, `shell-integration/`, `emulator/` (guards xterm.js; browser-safe), `policy/` (rules and the shell parser; browser-safe), `acp/`",
    uses: [],
    npm: ["@lydell/node-pty", "@xterm/headless"],
    borders: {
      // It runs in browsers too.
      emulator: { neverReaches: ["view", "screen", "process", "acp", "shell-integration"], nodeModules: [] },
      policy: {
        neverReaches: ["view", "screen", "process", "acp", "shell-integration", "emulator"],
        nodeModules: [],
      },
      view: { neverReaches: ["process", "acp"], nodeModules: ["node:buffer"] },
      process: { neverReaches: ["view", "acp", "keeper"] },
      keeper: { neverReaches: ["view", "acp", "screen"] },
    },
  },
  core: {
    contents:
      "the host without transports: `submit/`, `rules/`, `changes/`, `channel/`, `editor/`, `session/`, `agent/`, `terminal/`, `approval/`, `policy/`, `isolation/`, `limit/`, `audit/`, `storage/`, `search/`, `usage/`",
    uses: [
      "protocol",
      "ahp",
      "jsonrpc",
      "terminal/terminal",
      "terminal/view",
      "terminal/acp-parts",
      "terminal/screen",
      "terminal/shell-integration",
      "terminal/port",
      "terminal/policy",
    ],
    testsUse: ["terminal/process", "terminal/keeper", "agent-shell"],
  },
  "agent-shell": {
    contents: "the built-in agent, a separate program",
    uses: ["jsonrpc"],
    testsUse: ["terminal/acp"],
  },
  "storage-sqlite": {
    contents:
      "journal, snapshots, turns, audit and meta in SQLite; the spool of terminal output; check and repair",
    uses: ["core/ports", "ahp"],
  },
  server: {
    contents:
      "`http/` (hono, SSE), `socket/` (WebSockets of clients, for `ahp/` and `acp/`), `ahp/` (AHP clients), `acp/` (editors), `page/`, `auth/`, `webhook/`, `metrics/`",
    uses: ["core", "protocol", "ahp", "jsonrpc"],
    borders: { socket: { neverReaches: ["ahp", "acp"] } },
  },
  sdk: {
    contents: "typed client for Node and browsers",
    uses: [],
    usesTypesOf: ["ahp", "protocol"],
  },
  web: {
    contents: "the page: React, xterm.js, our AHP client; built by Vite into `dist/page`",
    uses: ["ahp", "terminal/emulator"],
  },
  cli: {
    contents:
      "the program `holdfast`: `serve/` composes the host, `command/` has one file per command, `link/` finds or starts a host, `acp/` bridges editors to it, `client-tools/` bridges agents to lent tools, `terminal/`, `doctor/`, `service/`; the program `holdfast-ahp-check` in `ahp-check/`",
    uses: [
      "protocol",
      "jsonrpc",
      "ahp",
      "terminal",
      "core",
      "agent-shell",
      "storage-sqlite",
      "server",
      "sdk",
    ],
    borders: {
      // It checks hosts from outside: what it shared with ours, it could not find wrong.
      "ahp-check": {
        neverReaches: ["acp", "command", "doctor", "link", "serve", "service", "terminal"],
        nodeModules: ["node:crypto", "node:process", "node:util"],
        packages: ["ws"],
      },
      // Agents start it with each session, so it loads little.
      "client-tools": {
        neverReaches: ["acp", "ahp-check", "command", "doctor", "link", "serve", "service", "terminal"],
        nodeModules: ["node:crypto", "node:http", "node:process", "node:stream", "node:timers/promises"],
        packages: ["@holdfast/jsonrpc"],
      },
    },
  },
};

/** One sentence for each import or dependency of `source` that the table does not allow. */
export function crossings(
  source: PackageSources,
  table: Readonly<Record<string, PackageRules>> = packageRules,
): string[] {
  const rules = table[source.name];
  if (!rules) return [`packages/${source.name} is missing in packageRules`];
  return [
    ...manifestCrossings(source, rules),
    ...source.files.flatMap((file) =>
      importsOf(file).flatMap((each) => {
        const fault = importFault(source, rules, file, each);
        return fault === undefined ? [] : [`${file.path} imports ${each.specifier}: ${fault}`];
      }),
    ),
    ...Object.entries(rules.borders ?? {}).flatMap(([folder, border]) =>
      borderCrossings(source, folder, border),
    ),
  ];
}

function manifestCrossings({ name, manifest }: PackageSources, rules: PackageRules): string[] {
  const uses = [...rules.uses, ...(rules.usesTypesOf ?? [])];
  const allowed = new Set(uses.map((use) => packageName(scope + use)));
  const own = Object.keys(allDependencies(manifest)).filter((dependency) => dependency.startsWith(scope));
  return own
    .filter((dependency) => !allowed.has(dependency))
    .map(
      (dependency) =>
        `packages/${name}/package.json depends on ${dependency}: this dependency is not allowed`,
    );
}

function importFault(
  { name, manifest }: PackageSources,
  rules: PackageRules,
  file: SourceFile,
  { specifier, isTypeOnly }: Import,
): string | undefined {
  if (specifier.startsWith(".")) {
    const target = path.posix.join(path.posix.dirname(file.path), specifier);
    return target.startsWith(`packages/${name}/`) ? undefined : "it leaves the package";
  }
  if (specifier.startsWith(scope)) {
    const entry = specifier.slice(scope.length);
    const matches = (use: string): boolean => entry === use || entry.startsWith(`${use}/`);
    if (entry.split("/", 1)[0] === name) return undefined;
    const uses = isTypeOnly ? [...rules.uses, ...(rules.usesTypesOf ?? [])] : rules.uses;
    if (isForTests(file.path) && rules.testsUse?.some(matches) === true) return undefined;
    if (!uses.some(matches)) return "this dependency is not allowed";
    // What is written out when the package is packed is needed in the repository alone.
    const declared = { ...allDependencies(manifest), ...(isTypeOnly && manifest.devDependencies) };
    return packageName(specifier) in declared ? undefined : "package.json does not declare it";
  }
  if (isForTests(file.path)) return undefined;
  if (specifier.startsWith("node:")) {
    return rules.isBrowserSafe === true ? "the package must run in browsers" : undefined;
  }
  return rules.npm && !rules.npm.includes(packageName(specifier)) ? "the package may not use it" : undefined;
}

/** Follows imports out of `folder` through the package's own files. */
function borderCrossings({ name, files }: PackageSources, folder: string, border: Border): string[] {
  const source = `packages/${name}/src/`;
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found: string[] = [];
  for (const start of files) {
    if (!start.path.startsWith(`${source}${folder}/`) || isForTests(start.path)) continue;
    const seen = new Set([start.path]);
    for (const filePath of seen) {
      const file = byPath.get(filePath);
      if (!file) continue;
      for (const { specifier } of importsOf(file)) {
        if (specifier.startsWith("node:") && border.nodeModules?.includes(specifier) === false) {
          found.push(`${start.path} reaches ${specifier} through ${filePath}`);
        }
        const isPackage = !specifier.startsWith(".") && !specifier.startsWith("node:");
        if (isPackage && border.packages?.includes(specifier) === false) {
          found.push(`${start.path} reaches ${specifier} through ${filePath}`);
        }
        if (!specifier.startsWith(".")) continue;
        const target = path.posix.join(path.posix.dirname(filePath), specifier);
        if (border.neverReaches.some((other) => target.startsWith(`${source}${other}/`))) {
          found.push(`${start.path} reaches ${target} through ${filePath}`);
        } else {
          seen.add(target);
        }
      }
    }
  }
  return found;
}

function allDependencies(manifest: Manifest): Record<string, string> {
  return { ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies };
}

function packageName(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
