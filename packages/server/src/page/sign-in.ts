// Page that asks for a sign-in.

/** A page without scripts; `problem` says what was wrong with what was sent. */
export function signInPage(problem?: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast: sign in</title>
<style>
:root { --paper: #f3f1eb; --card: #fff; --ink: #1b2627; --muted: #566263; --line: #b9b3a3; --accent: #0b5f6d;
  --accent-ink: #fff; --bad: #a8231b; --bad-wash: #f9e2de; }
@media (prefers-color-scheme: dark) { :root { --paper: #0f1517; --card: #1b2528; --ink: #e2e9e7; --muted: #9aabaa;
  --line: #40545a; --accent: #72c8cf; --accent-ink: #06282c; --bad: #ff968c; --bad-wash: #3a1a18; } }
* { box-sizing: border-box; }
body { display: grid; place-items: center; min-height: 100vh; margin: 0; padding: 1.25rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { width: min(30rem, 100%); padding: 1.5rem; border: 1px solid var(--line); border-radius: 10px;
  background: var(--card); }
h1 { margin: 0 0 .75rem; font-size: 1.2rem; letter-spacing: -.02em; }
p, ul { margin: 0 0 .75rem; }
ul { padding-left: 1.25rem; color: var(--muted); }
code { font-size: .92em; }
form { display: flex; flex-wrap: wrap; gap: .25rem .5rem; }
label { flex-basis: 100%; font-weight: 600; }
input, button { min-height: 40px; padding: .3rem .7rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--card); color: inherit; font: inherit; }
input { flex: 1; min-width: 0; }
button { border-color: var(--accent); background: var(--accent); color: var(--accent-ink); font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.problem { padding: .5rem .75rem; border-radius: 6px; background: var(--bad-wash); color: var(--bad); }
</style>
</head>
<body>
<main>
<h1>Sign in to Holdfast</h1>
${problem === undefined ? "" : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`}
<p>On the host, do one of these:</p>
<ul>
<li>Run <code>holdfast open</code>. It opens this page, or prints a link that signs in one browser, once.</li>
<li>Copy the token from the file <code>token</code> in the host's home directory and paste it here. Run
<code>holdfast doctor</code> to find that directory.</li>
</ul>
<form method="post" action="/">
<label for="token">Host token</label>
<input id="token" name="tkn" type="password" autocomplete="off" required autofocus>
<button type="submit">Sign in</button>
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
