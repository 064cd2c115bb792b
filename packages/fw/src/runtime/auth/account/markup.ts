import type { AccessToken } from "../../../declare/token.ts";
import { escapeHTML } from "../../../lib/html.ts";
import type { Account } from "../../../platform/accounts.ts";
import { alertOf } from "../page-frame.ts";
import { rolesOf } from "../roles.ts";
import type { OpenSession } from "../sessions.ts";
import { describeAgent } from "./agent.ts";
import { leastPasswordCharacters } from "./passwords.ts";

/** The main part of a page: a heading with HTML below it. */
export interface Content {
  readonly heading: string;
  readonly content: string;
}

/** The state of a form: why it was refused, and the values to show again. */
export interface FormState {
  readonly refusal?: string | undefined;
  readonly email?: string;
  readonly name?: string;
}

/** An input of a form. `attributes` are its other HTML attributes, such as its type and autocomplete hint. */
interface Field {
  readonly label: string;
  readonly name: string;
  readonly attributes: string;
}

const emailField = (value: string): Field => ({
  label: "Email",
  name: "email",
  attributes: `type="email" autocomplete="username" autocapitalize="none" spellcheck="false" required value="${escapeHTML(value)}"`,
});
const newPasswordField: Field = {
  label: "New password",
  name: "new_password",
  attributes: `type="password" autocomplete="new-password" minlength="${leastPasswordCharacters}" required`,
};
const currentPasswordField: Field = {
  label: "Current password",
  name: "password",
  attributes: `type="password" autocomplete="current-password" required`,
};
const codeField: Field = {
  label: "Code",
  name: "code",
  attributes: `autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" required`,
};

interface Form {
  readonly action: string;
  readonly title?: string;
  readonly text?: string;
  readonly hiddenFields?: Readonly<Record<string, string>>;
  readonly fields?: readonly Field[];
  readonly button: string;
  readonly refusal?: string | undefined;
  /** True to focus the first field when the page loads. */
  readonly focus?: boolean;
}

function section({ title, text, ...form }: Form): string {
  const heading = title === undefined ? "" : `<h2>${title}</h2>`;
  const hint = text === undefined ? "" : `<p class="hint">${text}</p>`;
  const intro = heading + hint === "" ? "" : `<div>${heading}\n${hint}</div>\n`;
  return `<section>\n${formOf(form, intro)}</section>\n`;
}

function formOf({ action, hiddenFields = {}, fields = [], button, refusal, focus = false }: Form, intro = ""): string {
  const values = Object.entries(hiddenFields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHTML(value)}">\n`,
  );
  const wrong = refusal === undefined ? "" : ` aria-invalid="true" aria-describedby="refusal"`;
  const inputs = fields.map(({ label, name, attributes }, i) => {
    const first = focus && i === 0 ? " autofocus" : "";
    return `<label class="field">${label}<input name="${name}" ${attributes}${wrong}${first}></label>\n`;
  });
  return `<form method="post" action="${escapeHTML(action)}">
${intro}${refusal === undefined ? "" : alertOf(refusal)}
${values.join("")}${inputs.join("")}<button>${button}</button>
</form>
`;
}

export function signUpPage(next: string, { refusal, email = "" }: FormState): Content {
  const form = section({
    action: "/_fw/signup",
    text: "You will receive a mail with a link to choose a password.",
    hiddenFields: { next },
    fields: [emailField(email)],
    button: "Send the link",
    refusal,
    focus: true,
  });
  return { heading: "Create an account", content: form + signInLink };
}

export function forgotPage({ refusal, email = "" }: FormState): Content {
  const form = section({
    action: "/_fw/forgot",
    text: "If the address has an account, you will receive a mail with a link to set a new password.",
    fields: [emailField(email)],
    button: "Send the link",
    refusal,
    focus: true,
  });
  return { heading: "Forgot your password?", content: form + signInLink };
}

const signInLink = `<section><a href="/_fw/signin">Sign in</a></section>\n`;

/** The page shown after a mail was requested. It is the same whether or not the address has an account. */
export const sentPage: Content = {
  heading: "Check your mail",
  content: `<section>
<p role="status">If the address can receive this mail, it is on its way. Its link works once.</p>
<p><a href="/_fw/signin">Sign in</a></p>
</section>
`,
};

export const deadLinkPage: Content = {
  heading: "This link does not work",
  content: `<section>
<p>It was already used, has expired, or was replaced by a newer one.</p>
<p><a href="/_fw/forgot">Ask for a new link</a></p>
<p><a href="/_fw/signin">Sign in</a></p>
</section>
`,
};

/** Renders the page behind a sign-up or reset link. Nothing changes until its form is submitted. */
export function newPasswordPage(token: string, email: string, isSignUp: boolean, failure: FormState): Content {
  const { refusal, name = "" } = failure;
  const nameField = {
    label: "Name (optional)",
    name: "name",
    attributes: `autocomplete="name" value="${escapeHTML(name)}"`,
  };
  // Lets password managers associate the password with this address.
  const hiddenName = `<input hidden name="email" autocomplete="username" value="${escapeHTML(email)}">\n`;
  const form = section({
    action: `/_fw/link/${token}`,
    text: `${hiddenName}${escapeHTML(email)}`,
    fields: isSignUp ? [newPasswordField, nameField] : [newPasswordField],
    button: isSignUp ? "Create the account" : "Set the password",
    refusal,
    focus: true,
  });
  return { heading: "Choose a password", content: form };
}

export function verifyPage(token: string, email: string): Content {
  const form = section({
    action: `/_fw/link/${token}`,
    text: `This confirms that ${escapeHTML(email)} is yours.`,
    button: "Verify the address",
  });
  return { heading: "Verify your address", content: form };
}

/** Renders the form for the second step of a sign-in. */
export function codePage(challenge: string, next: string, refusal: string | undefined): Content {
  const form = section({
    action: "/_fw/api/session",
    text: "Enter the code of your authenticator app, or a recovery code.",
    hiddenFields: { next, challenge },
    fields: [codeField],
    button: "Sign in",
    refusal,
    focus: true,
  });
  return { heading: "One more step", content: form + signInLink };
}

export interface AccountView {
  readonly account: Account;
  readonly csrf: string;
  readonly sessions: readonly OpenSession[];
  readonly current: string;
  /** Undefined if the application has no access tokens. */
  readonly tokens: readonly AccessToken[] | undefined;
  /** Undefined if the second factor is off. */
  readonly codesLeft: number | undefined;
  /** The refused form, identified by its action below `/_fw/account/`, and the reason. */
  readonly failure?: { readonly action: string; readonly refusal: string } | undefined;
  readonly notice?: string | undefined;
}

/** Notices after a change, by the query parameter `done`. */
export const notices: Readonly<Record<string, string>> = {
  password: "The password was changed. Other browsers are signed out.",
  sent: "A mail with a link is on its way to you.",
  verified: "Your address is verified.",
  off: "You no longer need a code to sign in.",
  ended: "That session has ended.",
  revoked: "That access token was revoked.",
};

export function accountPage(view: AccountView): Content {
  const { account, notice, failure } = view;
  const verified = account.emailVerified ? "" : " (not verified)";
  const elsewhere = failure !== undefined && !formsOf(view).some(({ action }) => action === failure.action);
  const content = `${notice === undefined ? "" : `<p role="status">${notice}</p>\n`}${elsewhere ? alertOf(failure.refusal) : ""}<section aria-label="Account">
<dl>
<dt>Email</dt><dd>${escapeHTML(account.email)}${verified}</dd>
<dt>Name</dt><dd>${escapeHTML(account.name) || "–"}</dd>
<dt>Roles</dt><dd>${escapeHTML(rolesOf(account.claims).join(", ")) || "none"}</dd>
</dl>
<form class="buttons" method="post" action="/_fw/api/session/signout">
<input type="hidden" name="next" value="/_fw/signin">
<a class="button" href="/">Continue</a>
<button class="quiet">Sign out</button>
</form>
</section>
${formsOf(view)
  .map((form) => section(withToken(view, form)))
  .join("")}${sessionsSection(view)}${tokensSection(view)}`;
  return { heading: "Your account", content };
}

/** Returns the forms of the account page. Their actions are paths below `/_fw/account/`. */
function formsOf({ account, codesLeft }: AccountView): readonly Form[] {
  const password = currentPasswordField;
  const verification: Form = {
    action: "verify",
    title: "Verify your address",
    text: "You will receive a mail with a link.",
    button: "Send the link",
  };
  const change: Form = {
    action: "password",
    title: "Change your password",
    text: "Other browsers are signed out.",
    fields: [password, newPasswordField],
    button: "Change the password",
  };
  return [
    ...(account.emailVerified ? [] : [verification]),
    ...(account.hasPassword ? [change, ...factorForms(codesLeft)] : []),
  ];
}

function factorForms(codesLeft: number | undefined): readonly Form[] {
  const password = currentPasswordField;
  if (codesLeft === undefined) {
    const text = "After your password, you also enter a code from an app on your phone.";
    return [{ action: "factor", title: "Set up a second factor", text, fields: [password], button: "Set up" }];
  }
  const codes = `${codesLeft} recovery ${codesLeft === 1 ? "code is" : "codes are"} left.`;
  const fields = [password, codeField];
  return [
    { action: "factor/codes", title: "New recovery codes", text: codes, fields, button: "Replace the codes" },
    { action: "factor/off", title: "Turn the second factor off", fields, button: "Turn off" },
  ];
}

function withToken({ csrf, failure }: AccountView, form: Form): Form {
  const refusal = failure?.action === form.action ? failure.refusal : undefined;
  return {
    ...form,
    action: `/_fw/account/${form.action}`,
    hiddenFields: { ...form.hiddenFields, _csrf: csrf },
    refusal,
    focus: refusal !== undefined,
  };
}

function sessionsSection(view: AccountView): string {
  const rows = view.sessions.map((session) => {
    const { id, agent, began } = session;
    const place = `<dt>${escapeHTML(describeAgent(agent))}</dt><dd>since ${timeOf(began)}`;
    if (id === view.current) return `${place}<br>this browser</dd>`;
    const end: Form = { action: "sessions/end", hiddenFields: { id }, button: "End this session" };
    return `${place}${formOf(withToken(view, end))}</dd>`;
  });
  const all: Form = { action: "sessions/end-all", button: "Sign out everywhere" };
  return `<section aria-labelledby="sessions">
<h2 id="sessions">Where you are signed in</h2>
<dl>
${rows.join("\n")}
</dl>
${formOf(withToken(view, all))}</section>
`;
}

function tokensSection(view: AccountView): string {
  if (view.tokens === undefined) return "";
  const rows = view.tokens.map(({ id, name, created, expires }) => {
    const revoke: Form = { action: "tokens/revoke", hiddenFields: { id }, button: `Revoke ${escapeHTML(name)}` };
    const ends = expires === undefined ? "never ends" : `ends ${timeOf(expires)}`;
    return `<dt>${escapeHTML(name)}</dt><dd>created ${timeOf(created)}<br>${ends}${formOf(withToken(view, revoke))}</dd>`;
  });
  return `<section aria-labelledby="tokens">
<h2 id="tokens">Access tokens</h2>
${rows.length === 0 ? "<p>There are none.</p>" : `<dl>\n${rows.join("\n")}\n</dl>`}
</section>
`;
}

/** Renders a time in UTC, readable by people and programs. */
function timeOf(date: Date): string {
  const text = date.toISOString();
  return `<time datetime="${text}">${text.slice(0, 10)} ${text.slice(11, 16)} UTC</time>`;
}

/** The data of the page that shows a new second factor's secret. */
export interface SetupView {
  readonly secret: string;
  readonly url: string;
  readonly csrf: string;
  readonly refusal?: string | undefined;
}

export function setupPage({ secret, url, csrf, refusal }: SetupView): Content {
  const groups = secret.replaceAll(/(.{4})(?!$)/g, "$1 ");
  const confirm = formOf({
    action: "/_fw/account/factor/confirm",
    hiddenFields: { _csrf: csrf, challenge: secret },
    fields: [codeField],
    button: "Turn on",
    refusal,
    focus: true,
  });
  return {
    heading: "Set up a second factor",
    content: `<section>
<p>Add this key to your authenticator app:</p>
<p><code>${groups}</code></p>
<p><a href="${escapeHTML(url)}">Open it in an app on this device</a></p>
<p class="hint">Then enter the code that the app shows.</p>
${confirm}</section>
<section><a href="/_fw/account">Cancel</a></section>
`,
  };
}

/** Renders recovery codes, which cannot be shown again. */
export function recoveryPage(codes: readonly string[]): Content {
  return {
    heading: "Your recovery codes",
    content: `<section>
<p role="status">You now need a code to sign in. Keep these recovery codes where you can reach them without your phone: each works once, in place of a code from the app. They are not shown again.</p>
<ul>
${codes.map((code) => `<li><code>${code}</code></li>`).join("\n")}
</ul>
<a class="button" href="/_fw/account">I have stored them</a>
</section>
`,
  };
}
