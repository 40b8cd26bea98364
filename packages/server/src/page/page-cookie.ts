// Cookie of a browser that is signed in to the page: where it is found, and when it counts.

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
/** The longest that browsers keep one; the host ends a sign-in sooner. */
const lifetimeSeconds = 400 * 24 * 60 * 60;

/** The `Set-Cookie` for a page at this place; scripts do not see it, and no other site sends it. */
export function writeCookie(host: string | undefined, secret: string): string {
  const maxAge = secret === "" ? 0 : lifetimeSeconds;
  return `${nameAt(host)}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}`;
}

/**
 * The secret with which a request acts as the page. Browsers send cookies to every port of a machine and for every
 * site on it, so the cookie alone says nothing: the request must name its origin, or bear the page's mark (Z3).
 */
export function actingSecret(headers: PageHeaders): string | undefined {
  return headers.origin !== undefined || headers.mark !== undefined ? cookieSecret(headers) : undefined;
}

/** The secret of the cookie, if it is there at all: enough to be shown the page, not to do anything. */
export function cookieSecret({
  cookie = "",
  host,
}: Pick<PageHeaders, "cookie" | "host">): string | undefined {
  const start = `${nameAt(host)}=`;
  return cookie
    .split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
}

/** Cookies do not know ports: two hosts on one machine keep theirs apart by name. */
function nameAt(host: string | undefined): string {
  const port = /:(\d+)$/.exec(host ?? "")?.[1];
  return port === undefined ? cookieName : `${cookieName}-${port}`;
}
