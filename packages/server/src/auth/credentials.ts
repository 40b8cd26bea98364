// What a request brings to show who sends it.

/** The headers that may say who asks. */
export interface CredentialHeaders {
  readonly apiKey: string | undefined;
  readonly authorization: string | undefined;
  readonly appId: string | undefined;
}

const bearer = /^bearer +(\S+) *$/i;

/** The keys or tokens in the headers. Some clients send two, one of them of their own making. */
export function sentKeys({ apiKey, authorization }: CredentialHeaders): string[] {
  return [apiKey ?? "", bearer.exec(authorization ?? "")?.[1] ?? ""].filter((key) => key !== "");
}
