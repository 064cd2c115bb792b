import { escapeHTML } from "../../lib/html.ts";
import type { BundledAuth } from "../bundle.ts";
import type { Identity } from "./user.ts";
import { alertOf, framedDocument } from "./page-frame.ts";
import { testUsers } from "./test-users.ts";

export interface SignInPage {
  readonly app: string;
  /** The path to redirect to after the sign-in. */
  readonly next: string;
  /** The signed-in user, if any. */
  readonly identity: Identity | undefined;
  /** The path of the application's own stylesheet. */
  readonly style?: string | undefined;
  /** HTML links to the account pages; "" if there are none. */
  readonly links?: string;
  readonly refusal: string | undefined;
  /**
   * The application's own ways to sign in, or a provider's markup. "no passwords" if users cannot sign in here;
   * undefined if a provider is required but not configured.
   */
  readonly methods: OwnMethods | { readonly content: string } | "no passwords" | undefined;
}

interface OwnMethods {
  /** The application's Auth, if test users may sign in. */
  readonly testUsers?: BundledAuth;
  /** The host of the social provider; absent if none is configured. */
  readonly socialHost?: string;
  /** True if accounts sign in with a password. */
  readonly password: boolean;
  readonly typed: { readonly email: string; readonly roles: readonly string[] };
}

/** Renders the sign-in page as HTML. Only an identity provider's markup contains a script. */
export function signInDocument(page: SignInPage): string {
  const { app, identity, refusal } = page;
  const atTop = refusal !== undefined && !triedPassword(page);
  const heading = identity === undefined ? "Sign in" : "You are signed in";
  const title = refusal === undefined ? heading : "Sign-in refused";
  const content = `${atTop ? alertOf(refusal) : ""}
${identity === undefined ? "" : whoIsSignedIn(identity, page)}
${signInMethods(page)}`;
  return framedDocument({ app, title, heading, content, style: page.style });
}

/** True if a password was refused. The form then shows the refusal next to its fields. */
function triedPassword({ refusal, methods: ways }: SignInPage): boolean {
  return refusal !== undefined && typeof ways === "object" && "typed" in ways && ways.typed.email !== "";
}

function whoIsSignedIn({ email, name, roles, provider }: Identity, { next, methods }: SignInPage): string {
  const host =
    provider === "social" && typeof methods === "object" && "typed" in methods ? methods.socialHost : undefined;
  const back = `/_fw/signin?next=${encodeURIComponent(next)}`;
  return `<section aria-label="Your session">
<dl>
<dt>Account</dt><dd>${escapeHTML(name === "" ? email : `${name}, ${email}`)}</dd>
<dt>Roles</dt><dd>${roles.length === 0 ? "none" : escapeHTML(roles.join(", "))}</dd>
</dl>
<form class="buttons" method="post" action="/_fw/api/session/signout">
<input type="hidden" name="next" value="${escapeHTML(back)}">
<a class="button" href="${escapeHTML(next)}">Continue</a>
<button class="quiet">Sign out</button>
</form>
${host === undefined ? "" : socialSignOut(host)}
</section>`;
}

/** Renders the form that also ends the provider's session, which could sign in the browser's next user unasked. */
function socialSignOut(host: string): string {
  return `<form class="buttons" method="post" action="/_fw/api/session/signout">
<input type="hidden" name="next" value="/_fw/signin/social/end">
<button class="quiet">Also sign out at ${escapeHTML(host)}</button>
</form>`;
}

function signInMethods(page: SignInPage): string {
  const { methods: ways } = page;
  if (ways === undefined) return noProvider;
  if (ways === "no passwords") return noPasswords;
  if ("content" in ways) return `<section aria-label="Sign in">${ways.content}</section>`;
  const { testUsers: auth, socialHost, typed } = ways;
  return (
    (auth === undefined ? "" : testUserForm(page, auth, typed)) +
    (socialHost === undefined ? "" : socialLink(page, socialHost)) +
    (ways.password ? passwordForm(page, ways) : "") +
    (page.links ?? "")
  );
}

function socialLink({ next }: SignInPage, host: string): string {
  return `<section>
<a class="button" href="/_fw/signin/social?next=${encodeURIComponent(next)}">Sign in at ${escapeHTML(host)}</a>
</section>
`;
}

const noProvider = `<section>
<h2>Sign-in is not set up yet</h2>
<p>No sign-in provider is configured for this deployment.</p>
<p class="hint">For operators: set <code>FW_AUTH_APIKEY</code> and <code>FW_AUTH_DOMAIN</code>.</p>
</section>`;

const noPasswords = `<section>
<h2>Sign-in is not set up yet</h2>
<p>This application uses a social provider, and none is configured.</p>
<p class="hint">For operators: set <code>FW_OIDC_ISSUER</code>, or declare passwords in <code>Auth</code>.</p>
</section>`;

function testUserForm(page: SignInPage, auth: BundledAuth, typed: OwnMethods["typed"]): string {
  const focus = page.refusal === undefined && page.identity === undefined;
  const { roles } = auth;
  return `<section>
<form method="post" action="/_fw/api/session">
<div><h2>${page.identity === undefined ? "Test users" : "Sign in as a test user"}</h2>
<p class="hint" id="roles-hint">${hintOf(auth)}</p></div>
<input type="hidden" name="next" value="${escapeHTML(page.next)}">
${roles.length === 0 ? "" : roleChoices(roles, typed.roles, focus)}
<div class="buttons">${testUsers.map((user, i) => testUserButton(user, focus && roles.length === 0 && i === 0)).join("")}</div>
</form>
</section>
`;
}

function hintOf({ social, roles }: BundledAuth): string {
  const standIn = social
    ? "They replace the social provider, which deployed applications use."
    : "They need no password.";
  return `${standIn} ${roles.length === 0 ? "This application declares no roles." : "The session gets exactly the selected roles."}`;
}

function roleChoices(roles: readonly string[], ticked: readonly string[], focus: boolean): string {
  const choices = roles.map((role, i) => {
    const checked = ticked.includes(role) ? " checked" : "";
    const value = escapeHTML(role);
    return `<label class="choice"><input type="checkbox" name="role" value="${value}"${checked}${focus && i === 0 ? " autofocus" : ""}>${value}</label>`;
  });
  return `<fieldset aria-describedby="roles-hint"><legend>Roles</legend>${choices.join("")}</fieldset>`;
}

function testUserButton(user: string, focus: boolean): string {
  return `<button name="dev_user" value="${user}"${focus ? " autofocus" : ""}>Sign in as ${user}</button>`;
}

function headingOf(identity: Identity | undefined, auth: BundledAuth | undefined): string {
  if (identity !== undefined) return "Sign in to another account";
  return auth === undefined ? "With your email and password" : "Accounts";
}

function passwordForm(page: SignInPage, { testUsers: auth, typed }: OwnMethods): string {
  const { next, refusal = "", identity } = page;
  const isRefused = triedPassword(page);
  const wrong = isRefused ? ` aria-invalid="true" aria-describedby="refusal"` : "";
  return `<section>
<form method="post" action="/_fw/api/session">
<div><h2>${headingOf(identity, auth)}</h2>
${auth === undefined ? "" : `<p class="hint">Accounts in this application's local data. Create one with <code>fw users create</code>.</p>`}</div>
${isRefused ? alertOf(refusal) : ""}
<input type="hidden" name="next" value="${escapeHTML(next)}">
<label class="field">Email<input name="email" type="email" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${escapeHTML(typed.email)}"${wrong}></label>
<label class="field">Password<input name="password" type="password" autocomplete="current-password" required${wrong}${isRefused ? " autofocus" : ""}></label>
<button>Sign in</button>
</form>
</section>
`;
}
