import { escapeHTML } from "../../../lib/html.ts";
import type { SignInView } from "../sign-in-flow.ts";
import type { ProviderConfiguration } from "./flow.ts";

/** The data that the page passes to its script, and the URLs of its scripts. */
interface ProviderPage extends Pick<ProviderConfiguration, "api" | "apiKey" | "domain"> {
  readonly script: string;
  readonly library: string;
}

/**
 * Renders the ways to sign in at the identity provider. The fieldset is disabled until the script runs, and the
 * password field has no name, so a form without the script cannot submit it.
 */
export function providerContent(page: ProviderPage, view: SignInView): string {
  const { action, next, social, password } = view;
  const data = { api: page.api, key: page.apiKey, domain: page.domain, ...(social && { library: page.library }) };
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escapeHTML(value)}"`);
  return `<fieldset id="provider" disabled${attributes.join("")}>
<p role="alert" id="failure" hidden></p>
<p role="status" id="notice" hidden></p>
${password ? passwordForm(!social) : ""}
${social ? socialButton : ""}
</fieldset>
<form id="finish" method="post" action="${escapeHTML(action)}" hidden>
<input type="hidden" name="idToken"><input type="hidden" name="next" value="${escapeHTML(next)}">
</form>
<noscript><p class="hint">Signing in needs JavaScript.</p></noscript>
<script type="module" src="${escapeHTML(page.script)}"></script>`;
}

function passwordForm(focus: boolean): string {
  return `<form id="password">
<label class="field">Email<input id="email" type="email" autocomplete="username" autocapitalize="none" spellcheck="false" required${focus ? " autofocus" : ""}></label>
<label class="field">Password<input id="secret" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
<button type="button" class="quiet" id="reset">Set a new password</button>
</form>
<div id="unverified" hidden>
<p>You are signed in. This address has not been verified yet.</p>
<div class="buttons"><button type="button" class="quiet">Send a verification email</button><button type="button">Continue</button></div>
</div>`;
}

const socialButton = `<div class="buttons"><button type="button" id="social">Sign in with Google</button></div>`;
