// Asks the host over HTTP, for what AHP has no word for.

/** The answer to a request; rejects with a sentence for people when there is none to be had. */
export async function hostFetch(
  address: string,
  signal?: AbortSignal,
  method = "GET",
  body?: object,
): Promise<Response> {
  // The header marks a request of the host's own page: the cookie alone does not count.
  const answer = await fetch(address, {
    method,
    ...(signal && { signal }),
    headers: { "x-holdfast-page": "1", ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(await reasonOf(answer, address));
  return answer;
}

/** The sentence of the host's error, where it has one. */
async function reasonOf(answer: Response, address: string): Promise<string> {
  const refusal = `The host refused ${address} (HTTP ${answer.status}).`;
  try {
    const { error, message } = (await answer.json()) as {
      readonly error?: unknown;
      readonly message?: unknown;
    };
    const sentence = message ?? error;
    return typeof sentence === "string" && sentence !== "" ? sentence : refusal;
  } catch {
    // No JSON: something between the page and the host answered.
    return refusal;
  }
}
