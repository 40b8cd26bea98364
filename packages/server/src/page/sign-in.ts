// What somebody sees who comes to the page without having shown the token.

/** A small page of its own, without scripts; `problem` says what was wrong with what was sent. */
export function signInPage(problem?: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast: sign in</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 12vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.3rem; letter-spacing: -.02em; }
form { display: flex; gap: .5rem; margin-top: 1rem; }
input { flex: 1; min-width: 0; font: inherit; padding: .4rem .6rem; }
button { font: inherit; padding: .4rem .9rem; }
.problem { border-left: 4px solid #b3261e; padding-left: .75rem; }
</style>
</head>
<body>
<main>
<h1>Holdfast</h1>
${problem === undefined ? "" : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}
<p>This page opens with the host's token. Open the address that the host printed at its start, which has the token in
it, or paste the token here: it is in the file <code>token</code> in the host's home.</p>
<form method="post" action="/">
<input name="tkn" type="password" autocomplete="off" aria-label="The host's token" required autofocus>
<button type="submit">Open</button>
</form>
</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
