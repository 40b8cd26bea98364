// `holdfast watch` of a session over a connection that breaks.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { Holdfast } from "@holdfast/sdk";
import { expect, it, onTestFinished, vi } from "vitest";
import { startRealHost } from "../host/real-host.ts";
import { layLine, TOO_LARGE } from "./cut-line.ts";
import { programWords } from "./window.ts";

it("[C888] watch continues a turn whose stream could not be resumed while the host was away", async () => {
  const host = await startRealHost();
  onTestFinished(() => host.close());
  const line = await layLine(host.url);
  onTestFinished(() => line.close());
  const api = new Holdfast({ baseUrl: host.url, apiKey: host.token });
  const { session_key: key } = await api.acpAgent.createSession({
    agent_id: "shell",
    cwd: host.project,
    approvalPolicy: "approve-all",
  });
  const gate = path.join(host.project, "gate");
  const child = spawn(process.execPath, [...programWords, "watch", key, "--url", line.url], {
    env: { ...process.env, HOLDFAST_TOKEN: host.token },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shown = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (shown += text));
  }
  const seen = (text: string): Promise<void> =>
    vi.waitFor(() => expect(shown).toContain(text), { timeout: 30_000 });
  const turn = api.acpAgent.chat(key, `until [ -e "${gate}" ]; do sleep 0.1; done; echo en''ded`);
  await seen("\n$ until");
  // As a proxy answers for a host that is away.
  line.refuse(/^GET \S+\/events/, TOO_LARGE);
  line.cut();
  writeFileSync(gate, "");
  await turn;
  await seen("ended");
  expect(shown.match(/\n\$ until/g)).toHaveLength(1);
  const exit = once(child, "exit");
  await api.acpAgent.closeSession(key);
  expect(await exit).toEqual([0, null]);
}, 60_000);
