// Speaks to the user's own systemd through systemctl, and says what to do where there is none.
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { systemCode } from "../serve/start-error.ts";

const elsewhere =
  "Have another service manager run `holdfast serve`, which stops on SIGTERM; `holdfast service install --print` shows the unit.";
const patienceMs = 45_000;

/** What systemctl said. */
interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Fails in words when there is no systemd for this user. */
export async function requireSystemd(): Promise<void> {
  // Its exit code tells how well the system is; what counts is that it answers at all.
  const { stdout, stderr } = await ask("is-system-running");
  if (stdout.trim() !== "" && stdout.trim() !== "offline") return;
  throw new CommandError(
    "SYSTEMD_NOT_RUNNING",
    `systemd does not run for you here: ${stderr.trim() || "it is offline"}.`,
    {
      exitCode: EXIT_CODES.declined,
      remedy: `Where systemd runs the machine, \`sudo loginctl enable-linger "$USER"\` and a new login help. ${elsewhere}`,
    },
  );
}

/** Has systemctl do something; a refusal is an error in its words. */
export async function systemctl(...words: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await ask(...words);
  if (exitCode === 0) return stdout;
  throw new CommandError(
    "SYSTEMD_REFUSED",
    `systemctl --user ${words.join(" ")} failed: ${stderr.trim() || stdout.trim()}`,
    {
      exitCode: EXIT_CODES.declined,
      remedy: "`journalctl --user -u holdfast -n 20` shows what the service said.",
    },
  );
}

async function ask(...words: readonly string[]): Promise<Answer> {
  const child = spawn("systemctl", ["--user", ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LC_ALL: "C" },
    timeout: patienceMs,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  try {
    const [exitCode] = (await once(child, "close")) as [number | null];
    return { exitCode: exitCode ?? EXIT_CODES.fault, stdout, stderr };
  } catch (error) {
    const why = systemCode(error) === "ENOENT" ? "there is no systemctl" : String(error);
    throw new CommandError("SYSTEMD_MISSING", `This machine has no systemd: ${why}.`, {
      exitCode: EXIT_CODES.declined,
      remedy: elsewhere,
      cause: error,
    });
  }
}
