// A script on the SDK: one turn with an agent, streamed, its questions answered here, then what it ran.
// Usage: node --import tsx examples/sdk-script.ts "echo hi" [agent]
import { Holdfast } from "@holdfast/sdk";

const [message = "echo hi", agent = "shell"] = process.argv.slice(2);

// Without an address and a key, this finds the host of this machine by its home.
const { acpAgent, terminals } = new Holdfast();
const { session_key: key } = await acpAgent.createSession({ agent_id: agent, cwd: process.cwd() });

// If the connection breaks, the stream resumes after the last event; the message is never sent twice.
for await (const event of acpAgent.streamChat(key, message)) {
  if (event.type === "text_delta") process.stdout.write(event.data.text);
  if (event.type === "tool_call") console.error(`[${event.data.status}] ${event.data.title}`);
  if (event.type === "permission_request") {
    const { requestId, title, options } = event.data;
    const answer = options.find(({ kind }) => kind === "allow_once") ?? options[0];
    console.error(`[asks] ${title ?? requestId}: ${answer?.name ?? "no answer is offered"}`);
    if (answer) await acpAgent.resolvePermission(key, { requestId, optionId: answer.optionId });
  }
  if (event.type === "done") console.error(`[${event.data.stopReason}]`);
  if (event.type === "error") console.error(`[${event.data.code}] ${event.data.message}`);
}

for (const { id, title } of await terminals.list({ sessionKey: key })) {
  const { text } = await terminals.output(id);
  console.error(`[terminal] ${title}: ${text.length} characters`);
}
await acpAgent.closeSession(key);
