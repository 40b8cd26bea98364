// What a request brings to show who sends it.
import type { PageHeaders } from "../page/page-cookie.ts";

/** The headers that may say who asks. */
export interface CredentialHeaders {
  readonly apiKey: string | undefined;
  readonly authorization: string | undefined;
  readonly appId: string | undefined;
  /** What shows that the request comes from the host's own page; absent where that does not count. */
  readonly page?: PageHeaders;
}

const bearer = /^bearer +(\S+) *$/i;

/** The keys or tokens in the headers. Some clients send two, one of them of their own making. */
export function sentKeys({ apiKey, authorization }: CredentialHeaders): string[] {
  return [apiKey ?? "", bearer.exec(authorization ?? "")?.[1] ?? ""].filter((key) => key !== "");
}
