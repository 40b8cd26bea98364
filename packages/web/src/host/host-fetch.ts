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
  if (!answer.ok) throw new Error(`The host refused ${address} (HTTP ${answer.status}).`);
  return answer;
}
