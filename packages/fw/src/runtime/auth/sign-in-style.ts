import { createHash } from "node:crypto";

/**
 * The style of the sign-in page: one narrow column that scales with the user's font size and follows the user's color
 * scheme.
 */
export const signInStyle = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f7; --card: #ffffff; --ink: #1b1f27; --soft: #565e6c; --line: #868e9c; --edge: #d9dde4;
  --accent: #1d4fd7; --on-accent: #ffffff; --hover: #163fae; --wrong: #b3261e; --wrong-ground: #fdecea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101216; --card: #191c22; --ink: #e9ebef; --soft: #a9b1bf; --line: #747d8c; --edge: #2b303a;
    --accent: #9db8ff; --on-accent: #0e1a3a; --hover: #bccfff; --wrong: #ffb4ab; --wrong-ground: #3a1613;
  }
}
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, sans-serif; -webkit-text-size-adjust: 100%; background: var(--ground); color: var(--ink); }
body { margin: 0; min-height: 100vh; display: grid; align-content: center; justify-items: center; padding: 1.5rem 1rem; overflow-wrap: anywhere; }
main { width: 100%; max-width: 25rem; }
h1 { margin: 0 0 1.25rem; font-size: 1.625rem; line-height: 1.25; letter-spacing: -0.01em; }
h1 small { display: block; margin-bottom: 0.25rem; font-size: 0.875rem; font-weight: 500; letter-spacing: 0; color: var(--soft); }
h2 { margin: 0 0 0.25rem; font-size: 1rem; }
p { margin: 0 0 0.75rem; }
section { margin-top: 1rem; padding: 1.25rem; border: 1px solid var(--edge); border-radius: 0.75rem; background: var(--card); }
form { display: grid; gap: 0.75rem; margin: 0; }
.hint { color: var(--soft); font-size: 0.875rem; }
p:last-child { margin-bottom: 0; }
[role="alert"] { margin: 0; padding: 0.75rem 1rem; border: 1px solid var(--wrong); border-radius: 0.5rem; background: var(--wrong-ground); color: var(--wrong); }
fieldset { min-width: 0; margin: 0; padding: 0; border: 0; }
legend { padding: 0; font-size: 0.875rem; font-weight: 600; }
.choice { display: flex; gap: 0.625rem; align-items: center; min-height: 2.25rem; }
.choice input { flex: none; width: 1.125rem; height: 1.125rem; margin: 0; accent-color: var(--accent); }
.field { display: grid; gap: 0.25rem; font-size: 0.875rem; font-weight: 600; }
.field input { width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--card); color: var(--ink); font: inherit; font-size: 1rem; font-weight: 400; }
.field input[aria-invalid="true"] { border-color: var(--wrong); }
.buttons { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(9.5rem, 100%), 1fr)); gap: 0.625rem; }
button, .button { display: grid; place-items: center; min-height: 2.75rem; padding: 0.5rem 1rem; border: 1px solid var(--accent); border-radius: 0.5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { border-color: var(--hover); background: var(--hover); }
button.quiet { border-color: var(--line); background: transparent; color: var(--ink); }
button.quiet:hover { border-color: var(--ink); background: transparent; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; }
code { font-size: 0.9375em; }
@media (max-width: 20rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.375rem; } section { padding: 1rem; } }
`;

/** The style's hash, as a source in a content security policy. */
export const signInStyleSource: string = `'sha256-${createHash("sha256").update(signInStyle).digest("base64")}'`;
