// The message that is proposed for a commit: what the session is about, as a subject line.

/** As long as git's own tools show without cutting it. */
const maxSubjectLength = 72;

/** A subject from the session's name, else from the newest request; undefined where neither says anything. */
export function proposedMessage(name: string | undefined, request: string | undefined): string {
  for (const text of [name, request]) {
    const subject = subjectOf(text ?? "");
    if (subject !== "") return subject;
  }
  return "";
}

function subjectOf(text: string): string {
  const [line = ""] = text.trim().split("\n");
  const plain = line
    .replace(/\s+/g, " ")
    .replace(/^(?:please|could you|can you)\s+/i, "")
    .replace(/[.!?…\s]+$/, "");
  const shown = plain.length <= maxSubjectLength ? plain : cutAtWord(plain);
  return shown.charAt(0).toUpperCase() + shown.slice(1);
}

function cutAtWord(text: string): string {
  const cut = text.slice(0, maxSubjectLength + 1);
  const end = cut.lastIndexOf(" ");
  return (end > maxSubjectLength / 2 ? cut.slice(0, end) : text.slice(0, maxSubjectLength)).replace(
    /[,;:\s]+$/,
    "",
  );
}
