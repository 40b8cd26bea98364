// Paths of the level `workspace`: what agents need to write to, and what nobody should find by accident.
import { mkdirSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import path from "node:path";

/** Folders of package managers and tools, below the user's own. */
const caches = [
  ".cache",
  ".npm",
  ".yarn",
  ".bun",
  ".deno",
  ".cargo",
  ".rustup",
  ".gradle",
  ".m2",
  ".nuget",
  ".dotnet",
  ".local/share/pnpm",
  ".local/share/uv",
  ".local/state",
  "go",
];

/** Those of them that most tools expect to be able to create, in a folder that is read-only then. */
const expectedCaches = [".cache", ".npm"];

/** Configuration, sign-ins and histories of agents, below the user's own folder. */
const agentFolders = [
  ".claude",
  ".claude.json",
  ".config/claude",
  ".codex",
  ".gemini",
  ".qwen",
  ".kimi",
  ".copilot",
  ".config/github-copilot",
  ".config/opencode",
  ".local/share/opencode",
  ".config/goose",
  ".local/share/goose",
  ".cursor",
  ".config/cursor",
  ".augment",
  ".auggie",
  ".pi",
  ".vibe",
];

/** Credentials, below the user's own folder. */
const credentials = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".config/gh",
  ".config/glab-cli",
  ".docker",
  ".kube",
  ".netrc",
  ".git-credentials",
  ".pgpass",
  ".vault-token",
  ".pypirc",
  ".config/gcloud",
  ".azure",
  ".config/op",
  ".password-store",
  ".local/share/keyrings",
  ".mozilla",
  ".thunderbird",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".config/vivaldi",
  "snap/firefox",
  "Library/Keychains",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Firefox",
];

/** Sockets through which a command could act outside, below the folder for a user's sockets. */
const runtimeSockets = ["bus", "systemd", "docker.sock", "podman", "gnupg", "keyring", "gcr", "tmux"];

const systemSockets = [
  "/run/docker.sock",
  "/var/run/docker.sock",
  "/run/podman",
  "/run/containerd",
  "/run/dbus",
];

/** Everything that a session may change besides its own folders. */
export function workspaceWritable(): string[] {
  const temporary = ["/tmp", "/var/tmp", "/dev/shm", tmpdir()];
  return [...temporary, ...[...caches, ...agentFolders].map((name) => path.join(homedir(), name))];
}

/** Creates the caches that tools create on first use: a folder that is not there cannot be made writable. */
export function makeExpectedCaches(): void {
  for (const name of expectedCaches) {
    try {
      mkdirSync(path.join(homedir(), name));
    } catch {
      // It is there, or the user has no folder to write to; then no tool finds a cache there without isolation either.
    }
  }
}

/** The folder that HOME names, and that of the account, where programs such as ssh look. */
function ownFolders(): string[] {
  try {
    return [...new Set([homedir(), userInfo().homedir])];
  } catch {
    // A user without an account has only what HOME names.
    return [homedir()];
  }
}

/** Credentials, and sockets that lead out. */
export function workspaceHidden(environment: Readonly<Record<string, string | undefined>>): string[] {
  const { XDG_RUNTIME_DIR: runtime, SSH_AUTH_SOCK: sshAgent } = environment;
  const sockets = runtime === undefined ? [] : runtimeSockets.map((name) => path.join(runtime, name));
  return [
    ...ownFolders().flatMap((folder) => credentials.map((name) => path.join(folder, name))),
    ...sockets,
    ...systemSockets,
    `/tmp/tmux-${process.getuid?.() ?? 0}`,
    ...(sshAgent === undefined || sshAgent === "" ? [] : [sshAgent]),
  ];
}
