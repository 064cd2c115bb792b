import type { User } from "../../declare/user.ts";
import { escapeHTML } from "../../lib/html.ts";
import { fingerprintedMaxAge } from "../../lib/limits.ts";
import { type TestUser, testUsers } from "../../runtime/auth/test-users.ts";
import type { DecoratedPage, InjectedEndpoints } from "../../runtime/index.ts";
import type { DevBarState } from "../../runtime/hooks.ts";
import { sendText } from "../../runtime/response/send.ts";
import { barStyle, barStylePath } from "./style.ts";

/**
 * The dev bar of a document: the signed-in user, buttons to switch users, and firing alerts. "" for a page that is the
 * same for all users, and if there is nothing to show. Its style is a file, so that the site's own content security
 * policy permits it.
 */
export function devBar({ user: signedIn, maxAge, path }: DecoratedPage, { signsIn, firing }: DevBarState): string {
  if (maxAge > 0 || (!signsIn && firing.length === 0)) return "";
  const user = signsIn ? signedIn : undefined;
  const style = `<link rel="stylesheet" href="/_fw/${barStylePath}">`;
  const alerts = firing.map((name) => `<p role="status">Alert ${escapeHTML(name)} is firing</p>`).join("");
  const forms = `<div>${user === undefined ? "" : signOutForm(path)}${signInForm(path, user)}${rolesLink(path)}</div>`;
  return `<fw-dev-bar id="fw-dev-bar">${style}<template shadowrootmode="open">${style}<details open>
<summary>${signsIn ? (user === undefined ? "Not signed in" : userSummary(user)) : "Alerts"}</summary>
${alerts}${signsIn ? forms : ""}
</details></template></fw-dev-bar>`;
}

/** Serves the bar's style at the path that its documents refer to. */
export const barEndpoints: InjectedEndpoints = {
  [barStylePath]: {
    methods: ["GET", "HEAD"],
    handle: (request) => {
      const cache = ["Cache-Control", `public, max-age=${fingerprintedMaxAge}, immutable`];
      sendText(request, 200, "text/css; charset=utf-8", cache, barStyle);
    },
  },
};

function userSummary(user: User): string {
  const roles = user.roles.length === 0 ? "no roles" : user.roles.join(", ");
  return `${escapeHTML(testUserOf(user) ?? user.email)} <span>(${escapeHTML(roles)})</span>`;
}

function testUserOf({ id, email }: User): TestUser | undefined {
  return testUsers.find((name) => id === name || email === `${name}@example.com`);
}

/** Keeps roles as they are; the roles of a test user are chosen on the sign-in page. */
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

/** Inserts the dev server's markup at the end of a document, so that it delays nothing of the page. */
export function atDocumentEnd(html: string, markup: string): string {
  const end = html.lastIndexOf("</body>");
  return end === -1 ? html + markup : html.slice(0, end) + markup + html.slice(end);
}
