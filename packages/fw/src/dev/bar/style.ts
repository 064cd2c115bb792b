import { createHash } from "node:crypto";

/**
 * The style of the dev bar, for the page and for the bar's shadow root. An application's rules for `#fw-dev-bar` win
 * over both: rules outside of a shadow root have precedence, and `:where` gives the page's rules no specificity. Each
 * inner rule starts with `:host`, so that it does not apply to the page.
 */
export const barStyle = `
:where(html) { scroll-padding-block-end: 5rem; }
:where(html:has(:focus-visible) #fw-dev-bar:not(:focus-within, :hover)) { opacity: 0.35; }
@media print { :where(#fw-dev-bar) { display: none; } }
:host {
  all: initial; position: fixed; z-index: 2147483646; left: 12px; bottom: 12px; max-width: calc(100vw - 24px); color-scheme: light dark;
  --card: #ffffff; --ink: #1b1f27; --soft: #565e6c; --line: #868e9c; --accent: #1d4fd7; --alarm: #b3261e;
}
:host([hidden]) { display: none; }
@media (prefers-color-scheme: dark) {
  :host { --card: #191c22; --ink: #e9ebef; --soft: #a9b1bf; --line: #747d8c; --accent: #9db8ff; --alarm: #ffb4ab; }
}
:host * { box-sizing: border-box; }
:host details {
  border: 1px solid var(--line); border-radius: 10px; background: var(--card); color: var(--ink); font: 13px/1.4 system-ui, sans-serif;
  overflow-wrap: anywhere; box-shadow: 0 4px 16px rgb(0 0 0 / 0.18);
}
:host summary { padding: 6px 12px; min-height: 32px; border-radius: 10px; cursor: pointer; }
:host summary span { color: var(--soft); }
:host div { display: flex; flex-wrap: wrap; gap: 6px; padding: 2px 8px 8px; }
:host p { margin: 0; padding: 2px 12px 6px; color: var(--alarm); }
:host form { margin: 0; }
:host :is(button, a) {
  display: inline-grid; place-items: center; min-height: 28px; margin: 0; padding: 2px 10px; border: 1px solid var(--line); border-radius: 7px;
  background: transparent; color: var(--ink); font: inherit; text-decoration: none; cursor: pointer;
}
:host :is(button, a):hover { border-color: var(--accent); color: var(--accent); }
:host :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
`;

/** Contains a hash of the style, so that browsers can cache it. */
export const barStylePath: string = `dev/bar.${createHash("sha256").update(barStyle).digest("hex").slice(0, 12)}.css`;
