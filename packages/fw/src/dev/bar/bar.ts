import { createHash } from "node:crypto";
import type { User } from "../../declare/user.ts";
import { escapeHTML } from "../../lib/html.ts";
import { fingerprintedMaxAge } from "../../lib/limits.ts";
import { type TestUser, testUsers } from "../../runtime/auth/test-users.ts";
import type { DecoratedPage, InjectedEndpoints } from "../../runtime/index.ts";
import type { DecoratedAnswer, DevBarState } from "../../runtime/hooks.ts";
import { sendText } from "../../runtime/response/send.ts";
import { moveAsideScript } from "./move-aside.ts";

/**
 * The style of the dev bar, for the page and for the bar's shadow root. An application's rules for `#fw-dev-bar` win
 * over both: rules outside a shadow root have precedence, and `:where` gives the page's rules no specificity. Each
 * inner rule starts with `:host`, so that it does not apply to the page.
 */
const barStyle = `
:where(html) { scroll-padding-block-end: 5rem; }
@media print { :where(#fw-dev-bar) { display: none; } }
:host {
  all: initial; position: fixed; z-index: 2147483646; left: 12px; bottom: 12px; max-width: calc(100vw - 24px); color-scheme: light dark;
  --card: #ffffff; --ink: #1b1f27; --soft: #565e6c; --line: #868e9c; --accent: #1d4fd7; --alarm: #b3261e;
}
:host([hidden]) { display: none; }
:host([data-corner$="right"]) { left: auto; right: 12px; }
:host([data-corner^="top"]) { bottom: auto; top: 12px; }
:host([data-corner^="edge"]) { bottom: 40vh; left: 0; }
:host([data-corner="edge-right"]) { left: auto; right: 0; }
@media (prefers-color-scheme: dark) {
  :host { --card: #191c22; --ink: #e9ebef; --soft: #a9b1bf; --line: #747d8c; --accent: #9db8ff; --alarm: #ffb4ab; }
}
:host * { box-sizing: border-box; }
:host details {
  border: 1px solid var(--line); border-radius: 10px; background: var(--card); color: var(--ink); font: 13px/1.4 system-ui, sans-serif;
  overflow-wrap: anywhere; box-shadow: 0 4px 16px rgb(0 0 0 / 0.18);
}
:host summary { padding: 3px 10px; min-height: 26px; border-radius: 10px; cursor: pointer; }
:host([data-corner^="edge"]:not(:hover, :focus-within)) details:not([open]) > summary {
  width: 6px; min-height: 40px; padding: 0; border-radius: 0; background: var(--accent); font-size: 0; list-style: none; overflow: hidden;
}
:host summary span { color: var(--soft); }
:host summary strong { color: var(--alarm); }
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

/** The paths contain hashes, so that browsers can cache the files. */
const barStylePath: string = `dev/bar.${hashOf(barStyle)}.css`;
const barScriptPath: string = `dev/bar.${hashOf(moveAsideScript)}.js`;

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/**
 * Renders the dev bar of a document: its status, duration, queries and errors, the signed-in user, buttons to switch
 * users, and firing alerts. Returns "" for a page that is the same for all users. The style is in a file, so that the
 * site's own content security policy allows it.
 */
export function devBar(page: DecoratedPage, { signsIn, firing }: DevBarState, count: StepCounter = noSteps): string {
  const { maxAge, path, answer } = page;
  if (maxAge > 0) return "";
  const user = signsIn ? page.user : undefined;
  const style = `<link rel="stylesheet" href="/_fw/${barStylePath}">`;
  const alerts = firing.map((name) => `<p role="status">Alert ${escapeHTML(name)} is firing</p>`).join("");
  const users = `${user === undefined ? "" : signOutForm(path)}${signInForm(path, user)}${rolesLink(path)}`;
  const person = user === undefined ? "Not signed in" : userSummary(user);
  const facts = [answerSummary(answer, count), signsIn ? person : ""].filter((fact) => fact !== "");
  return `<fw-dev-bar id="fw-dev-bar">${style}<template shadowrootmode="open">${style}<details>
<summary>${`${facts.join(" <span>·</span> ")}${alertSummary(firing)}` || "fw"}</summary>
${alerts}<div>${signsIn ? users : ""}${consoleLink(answer)}</div>
</details></template><script type="module" src="/_fw/${barScriptPath}"></script></fw-dev-bar>`;
}

/** The endpoints of the bar's style and script, by the paths in its HTML. */
export const barEndpoints: InjectedEndpoints = {
  [barStylePath]: fileEndpoint("text/css", barStyle),
  [barScriptPath]: fileEndpoint("text/javascript", moveAsideScript),
};

function fileEndpoint(type: string, content: string): InjectedEndpoints[string] {
  const cache = ["Cache-Control", `public, max-age=${fingerprintedMaxAge}, immutable`];
  return {
    methods: ["GET", "HEAD"],
    handle: (request) => sendText(request, 200, `${type}; charset=utf-8`, cache, content),
  };
}

type StepCounter = (answer: DecoratedAnswer) => { readonly queries: number; readonly errors: number };

const noSteps: StepCounter = () => ({ queries: 0, errors: 0 });

/** Summarizes a response, for example `200 in 12 ms, 3 queries, 1 error`; "" if it is unknown. */
function answerSummary(answer: DecoratedAnswer | undefined, count: StepCounter): string {
  if (answer === undefined) return "";
  const { queries, errors } = count(answer);
  const { status, ms } = answer;
  const statusText = status >= 400 ? `<strong>${status}</strong>` : String(status);
  const errorText = errors === 0 ? "" : `, <strong>${countText(errors, "error")}</strong>`;
  return `${statusText} in ${ms < 1 ? "under 1" : Math.round(ms)} ms, ${countText(queries, "query")}${errorText}`;
}

function countText(count: number, noun: "error" | "query"): string {
  return `${count} ${count === 1 ? noun : { error: "errors", query: "queries" }[noun]}`;
}

function alertSummary({ length }: readonly string[]): string {
  return length === 0 ? "" : ` <strong>${length === 1 ? "1 alert" : `${length} alerts`}</strong>`;
}

/** Renders a link to the document's request in the console, or to all requests if the response is unknown. */
function consoleLink(answer: DecoratedAnswer | undefined): string {
  const target = answer === undefined ? "requests" : `requests?request=${answer.id}`;
  return `<a href="/_fw/console#${target}">${answer === undefined ? "Console" : "Show this request"}</a>`;
}

function userSummary(user: User): string {
  const roles = user.roles.length === 0 ? "no roles" : user.roles.join(", ");
  return `${escapeHTML(testUserOf(user) ?? user.email)} <span>(${escapeHTML(roles)})</span>`;
}

function testUserOf({ id, email }: User): TestUser | undefined {
  return testUsers.find((name) => id === name || email === `${name}@example.com`);
}

/** Renders buttons that sign in as a test user with unchanged roles. The sign-in page can also choose roles. */
function signInForm(path: string, user: User | undefined): string {
  const others = testUsers.filter((name) => user === undefined || testUserOf(user) !== name);
  const offer = user === undefined ? "Sign in as" : "Switch to";
  const buttons = others.map((name) => `<button name="dev_user" value="${name}">${offer} ${name}</button>`);
  return `<form method="post" action="/_fw/api/session"><input type="hidden" name="keep_roles" value="1">${nextField(path)}${buttons.join(" ")}</form>`;
}

function signOutForm(path: string): string {
  return `<form method="post" action="/_fw/api/session/signout">${nextField(path)}<button>Sign out</button></form>`;
}

function rolesLink(path: string): string {
  return `<a href="/_fw/signin?next=${escapeHTML(encodeURIComponent(path))}">Choose roles</a>`;
}

function nextField(path: string): string {
  return `<input type="hidden" name="next" value="${escapeHTML(path)}">`;
}

/** Inserts the dev server's markup at the end of a document, where it delays no part of the page. */
export function atDocumentEnd(html: string, markup: string): string {
  const end = html.lastIndexOf("</body>");
  return end === -1 ? html + markup : html.slice(0, end) + markup + html.slice(end);
}
