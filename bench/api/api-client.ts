// A client of the app API that checks little and costs little.

/** The key that every host of the benchmark takes. */
export const API_KEY = "bench";

/** Calls an operation by its route; an answer that is not a success is an error. */
export async function callApi(
  url: string,
  method: "GET" | "POST",
  route: string,
  body?: object,
): Promise<Response> {
  const response = await fetch(`${url}/sdk/acp${route}`, {
    method,
    headers: { "x-api-key": API_KEY, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
  return response;
}

/** Opens a session; gives the route under which it is found. */
export async function openSession(url: string, cwd: string): Promise<string> {
  const options = { agent_id: "shell", cwd, approvalPolicy: "approve-all" };
  const answer = await callApi(url, "POST", "/session", options);
  const { session } = (await answer.json()) as { readonly session: { readonly session_key: string } };
  return `/session/${encodeURIComponent(session.session_key)}`;
}
