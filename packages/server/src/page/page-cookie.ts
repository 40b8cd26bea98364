// Cookie of a person who opened the page with the owner's token: it stands for the token and does not reveal it.
import { createHmac, timingSafeEqual } from "node:crypto";
import { digestOf } from "../auth/key-store.ts";

/** Headers that decide whether a request's cookie counts. */
export interface PageHeaders {
  readonly cookie: string | undefined;
  readonly host: string | undefined;
  /** That it is this host's own place was checked before. */
  readonly origin: string | undefined;
  /** A header that only the host's own page can send without being asked for it first. */
  readonly mark: string | undefined;
}

/** The name of the header with which the page marks its requests. */
export const PAGE_MARK = "x-holdfast-page";

const cookieName = "holdfast";
const lifetimeSeconds = 400 * 24 * 60 * 60;

/** Makes the cookie of one host, and knows it again. */
export class PageCookie {
  readonly #value: string;

  /** Made from the token, so that it survives a restart of the host and ends with the token. */
  constructor(token: string) {
    this.#value = createHmac("sha256", token).update("the page's cookie").digest("base64url");
  }

  /** The `Set-Cookie` for a page at this place; scripts do not see it, and no other site sends it. */
  issue(host: string | undefined): string {
    const name = nameAt(host);
    return `${name}=${this.#value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${lifetimeSeconds}`;
  }

  /**
   * Whether a request comes from the page. Browsers send cookies to every port of a machine and for every site on
   * it, so the cookie alone says nothing: the request must name its origin, or bear the page's mark (Z3).
   */
  admits({ cookie, host, origin, mark }: PageHeaders): boolean {
    return (origin !== undefined || mark !== undefined) && this.isIn({ cookie, host });
  }

  /** Whether the cookie is there at all: enough to be shown the page, not to do anything. */
  isIn({ cookie = "", host }: Pick<PageHeaders, "cookie" | "host">): boolean {
    const start = `${nameAt(host)}=`;
    const sent = cookie
      .split(";")
      .map((pair) => pair.trim())
      .find((pair) => pair.startsWith(start));
    return sent !== undefined && timingSafeEqual(digestOf(sent.slice(start.length)), digestOf(this.#value));
  }
}

/** Cookies do not know ports: two hosts on one machine keep theirs apart by name. */
function nameAt(host: string | undefined): string {
  const port = /:(\d+)$/.exec(host ?? "")?.[1];
  return port === undefined ? cookieName : `${cookieName}-${port}`;
}
