// Paths as `file:` URIs, without Node.

/** A path as a URI; what is a URI already stays as it is. */
export function fileUri(path: string): string {
  if (/^[a-z][a-z\d+.-]+:/i.test(path)) return path;
  const slashed = path.replaceAll("\\", "/");
  const rooted = slashed.startsWith("/") ? slashed : `/${slashed}`;
  return `file://${rooted.split("/").map(encodeSegment).join("/")}`;
}

/** The colon of a drive letter stays, as URIs of Windows paths have it. */
function encodeSegment(segment: string): string {
  return /^[a-z]:$/i.test(segment) ? segment : encodeURIComponent(segment);
}
