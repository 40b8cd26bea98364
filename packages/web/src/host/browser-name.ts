// What a person would call this browser.

/** The browser, and the device where it is a small one. */
export function browserName(): string {
  const { userAgent } = navigator;
  const known = ["Firefox", "Edg", "Chrome", "Safari"].find((name) => userAgent.includes(name)) ?? "Browser";
  const device = /Android|iPhone|iPad/.exec(userAgent)?.[0];
  const name = known === "Edg" ? "Edge" : known;
  return device === undefined ? `${name} page` : `${name} page on ${device}`;
}
