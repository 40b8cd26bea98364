// Takes the snippets out of the API's reference document, which has lost the marks around them.

/** One snippet: where it begins and what it ends with. */
interface Place {
  readonly name: string;
  readonly begins: string;
  readonly ends: string;
}

/** A snippet as it stands in the document. */
export interface Snippet {
  readonly name: string;
  readonly code: string;
}

const places: readonly Place[] = [
  { name: "client", begins: "const sdk = new RealtimeXSDK({", ends: "permissions: ['acp.agent'],\n});" },
  {
    name: "agents",
    begins: "const agents = await sdk.acpAgent.listAgents();\nconst installed",
    ends: `"qwen (Qwen CLI)"]`,
  },
  {
    name: "create",
    begins: "const session = await sdk.acpAgent.createSession({\nagent_id: 'claude',\ncwd",
    ends: `550e8400-..."`,
  },
  {
    name: "stream",
    begins: "for await (const event of sdk.acpAgent.streamChat(session.session_key, 'Explain",
    ends: "}\n}",
  },
  { name: "chat", begins: "const response = await sdk.acpAgent.chat(", ends: "console.log(response.text);" },
  { name: "close", begins: "await sdk.acpAgent.closeSession(", ends: ";" },
  {
    name: "thoughts",
    begins: "for await (const event of sdk.acpAgent.streamChat(key, message)) {",
    ends: "}\n}\n}",
  },
  {
    name: "permission",
    begins: "for await (const event of sdk.acpAgent.streamChat(key, 'Create hello.txt')) {",
    ends: "string);\n}\n}",
  },
  { name: "models", begins: "// List agents with their models", ends: "approvalPolicy: 'approve-all',\n});" },
  {
    name: "providers",
    begins: "const agents = await sdk.acpAgent.listAgents();\nconst qwen",
    ends: `"realtimexai"]`,
  },
  {
    name: "forwarding",
    begins: "const session = await sdk.acpAgent.createSession({\nagent_id: 'qwen',",
    ends: "string);\n}",
  },
  { name: "attachments", begins: "import fs from 'fs';", ends: "string);\n}" },
  { name: "patch", begins: "await sdk.acpAgent.patchSession(", ends: "});" },
  {
    name: "sessions",
    begins: "const sessions = await sdk.acpAgent.listSessions();",
    ends: "console.log(status.runtime_options);",
  },
  { name: "cancel", begins: "await sdk.acpAgent.cancelTurn(", ends: ";" },
  { name: "errors", begins: "try {\nawait sdk.acpAgent.createSession(", ends: `'nonexistent'."\n}` },
  { name: "types", begins: "interface AcpSessionOptions {", ends: `// "image/png"\n}` },
];

/** What only code has; none of it may be left when all snippets are taken out. */
const codeMarks = /sdk\.acpAgent\.\w+\(|\bawait \w|^(?:const|let|import|interface|type) /m;

/** Every snippet, in the document's order; throws when one is missing, or when code is left that is in none. */
export function takeSnippets(document: string): Snippet[] {
  let rest = document;
  const snippets = places.map(({ name, begins, ends }): Snippet => {
    const start = rest.indexOf(begins);
    const end = start === -1 ? -1 : rest.indexOf(ends, start + begins.length - 1);
    if (end === -1) throw new Error(`The reference has no snippet "${name}" any more`);
    const code = rest.slice(start, end + ends.length);
    rest = rest.slice(0, start) + rest.slice(end + ends.length);
    return { name, code };
  });
  const left = codeMarks.exec(rest);
  if (left !== null) {
    throw new Error(
      `The reference has code that is in no snippet: ${rest.slice(left.index, left.index + 80)}`,
    );
  }
  return snippets;
}
