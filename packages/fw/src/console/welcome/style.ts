import { createHash } from "node:crypto";

export const welcomeStyle: string = `
:root {
  color-scheme: light dark; --page: #f8f7f4; --card: #ffffff; --ink: #1d1c1a; --soft: #635f59; --line: #dcd8d1; --accent: #3447c9;
  --code: #f1efea; --good: #176b35; --glow: #dfe3ff; font: 16px/1.6 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121317; --card: #1b1c21; --ink: #eceae6; --soft: #a8a49d; --line: #34353c; --accent: #a9b6ff; --code: #131419; --good: #6fd391;
    --glow: #262b52;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: radial-gradient(60rem 28rem at 50% -10rem, var(--glow), transparent) no-repeat var(--page); color: var(--ink); }
main { max-width: 62rem; margin-inline: auto; padding: clamp(2.5rem, 9vw, 6rem) 1.25rem 5rem; }
h1 { margin: 0; font-size: clamp(2.25rem, 8vw, 4rem); letter-spacing: -0.035em; line-height: 1.05; text-wrap: balance; overflow-wrap: anywhere; }
h2 { margin: 0 0 0.75rem; font-size: 1.0625rem; }
p { margin: 0 0 0.75rem; }
a { color: var(--accent); text-underline-offset: 0.2em; }
code, pre { font: 0.875rem/1.6 ui-monospace, "SF Mono", Menlo, monospace; }
code { overflow-wrap: anywhere; }
pre { margin: 0; padding: 0.9rem 1rem; white-space: pre-wrap; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--code); }
.running { display: flex; gap: 0.5rem; align-items: center; margin-bottom: 1.25rem; color: var(--good); font-weight: 600; }
.running::before { content: ""; width: 0.625rem; height: 0.625rem; border-radius: 50%; background: currentcolor; }
.lead { max-width: 40rem; margin: 1.1rem 0 2.5rem; color: var(--soft); font-size: 1.1875rem; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem; }
section { min-width: 0; padding: 1.4rem 1.5rem; border: 1px solid var(--line); border-radius: 0.9rem; background: var(--card); }
section.wide { grid-column: 1 / -1; }
section p:last-child, section pre:last-child { margin-bottom: 0; }
.soft, .at { color: var(--soft); }
table { width: 100%; border-collapse: collapse; }
td { padding: 0.4rem 1rem 0.4rem 0; border-top: 1px solid var(--line); vertical-align: baseline; }
tr:first-child td { border-top: 0; }
td:last-child { padding-right: 0; text-align: right; }
.method { color: var(--soft); width: 1%; white-space: nowrap; }
.at { font-size: 0.8125rem; }
.at a { color: inherit; }
ul { margin: 0.75rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.4rem; list-style: none; }
li { padding: 0.1rem 0.65rem; border: 1px solid var(--line); border-radius: 99rem; color: var(--soft); font-size: 0.875rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.5rem 1.25rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 0.2rem; }
@media (max-width: 34rem) {
  td { display: block; padding: 0; border: 0; text-align: left; }
  td:last-child { text-align: left; }
  tr { display: block; padding: 0.5rem 0; border-top: 1px solid var(--line); }
  tr:first-child { border-top: 0; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: 0.6rem; }
}
`;

/** The content security policy of the welcome page, which has only its own style and the dev server's script. */
export const welcomePolicy: string = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(welcomeStyle).digest("base64")}'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
