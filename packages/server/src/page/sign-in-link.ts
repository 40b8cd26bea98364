// Links that sign one browser in.

/** The name of the query's member that carries the ticket. */
export const TICKET_MEMBER = "ticket";

/** The path and query that exchange a ticket for a sign-in. */
export function signInPath(ticket: string): string {
  return `/?${TICKET_MEMBER}=${ticket}`;
}
