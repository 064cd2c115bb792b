import { escapeHTML } from "../../../lib/html.ts";
import type { SignInView } from "../sign-in-flow.ts";
import type { ProviderConfiguration } from "./flow.ts";

/** What the page tells its script, and where that and the provider's library are. */
interface ProviderPage extends Pick<ProviderConfiguration, "api" | "apiKey" | "domain"> {
  readonly script: string;
  readonly library: string;
}

/**
 * The ways to sign in at the identity provider. Nothing can be pressed before the script is there, and the password's field has no name:
 * nothing but the script can send it.
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
<p>You are signed in. Nobody has verified yet that this address is yours.</p>
<div class="buttons"><button type="button" class="quiet">Send me a mail to verify it</button><button type="button">Continue</button></div>
</div>`;
}

const socialButton = `<div class="buttons"><button type="button" id="social">Sign in with Google</button></div>`;
