import { contentETag } from "../../../lib/asset-variants.ts";
import type { Request } from "../../request.ts";
import { sendEmpty, sendText } from "../../response/send.ts";
import type { InjectedEndpoint, InjectedEndpoints } from "../../routing/injected-endpoint.ts";
import type { SignInFlow, SignInView } from "../sign-in-flow.ts";
import { providerScript } from "./script.ts";
import { escapeHTML } from "../../../lib/html.ts";

const socialButton = `<div class="buttons"><button type="button" id="social">Sign in with Google</button></div>`;

export interface ProviderConfiguration {
  /** The project's web API key, which identifies the project and is not secret. */
  readonly apiKey: string;
  /** The host of the provider's pages: `<project>.firebaseapp.com`. */
  readonly domain: string;
  /** The base URL of the provider's API, as browsers see it. */
  readonly api: string;
  /** Reads the provider's browser library; absent if no social provider is declared. */
  readonly library?: (() => Promise<string>) | undefined;
}

/** A provider's part of the sign-in page, and the endpoints for its scripts. */
export interface ProviderFlow {
  readonly flow: SignInFlow;
  readonly endpoints: InjectedEndpoints;
}

const scriptPath = "signin/provider.js";
const libraryPath = "signin/social.js";

export function providerFlow({ apiKey, domain, api, library }: ProviderConfiguration): ProviderFlow {
  const page = { api, apiKey, domain, script: `/_fw/${scriptPath}`, library: `/_fw/${libraryPath}` };
  return {
    flow: {
      content: (view) => providerContent(page, view),
      sources: { ...passwordSources(api), ...(library && socialSources(api, domain)) },
    },
    endpoints: {
      [scriptPath]: scriptEndpoint(() => providerScript),
      ...(library && { [libraryPath]: scriptEndpoint(library) }),
    },
  };
}

type Sources = SignInFlow["sources"];

function passwordSources(api: string): Sources {
  return { "script-src": ["'self'"], "connect-src": [new URL(api).origin] };
}

/**
 * Returns the policy's sources for the provider's library. It loads a Google library, which shows the provider's pages
 * in a frame.
 */
function socialSources(api: string, domain: string): Sources {
  return {
    "script-src": ["'self'", "https://apis.google.com"],
    "connect-src": [...new Set([new URL(api).origin, providerAPI]), "https://securetoken.googleapis.com"],
    "frame-src": [`https://${domain}`],
  };
}

/** The API that the provider's library calls, even if passwords are checked by another one. */
const providerAPI = "https://identitytoolkit.googleapis.com";

/**
 * Creates the endpoint for a script of the sign-in page. Reads the script on the first request; browsers revalidate it
 * by its ETag.
 */
function scriptEndpoint(read: () => Promise<string> | string): InjectedEndpoint {
  let file: Promise<{ readonly text: string; readonly etag: string }> | undefined;
  const load = async (): Promise<{ readonly text: string; readonly etag: string }> => {
    const text = await read();
    return { text, etag: `"${contentETag(text)}"` };
  };
  return {
    methods: ["GET", "HEAD"],
    async handle(request: Request) {
      const { text, etag } = await (file ??= load());
      const headers = ["Cache-Control", "no-cache", "ETag", etag];
      if (request.exchange.header("if-none-match") === etag) return sendEmpty(request, 304, headers);
      sendText(request, 200, "text/javascript; charset=utf-8", headers, text);
    },
  };
}

/** The data that the page passes to its script, and the URLs of its scripts. */
interface ProviderPage extends Pick<ProviderConfiguration, "api" | "apiKey" | "domain"> {
  readonly script: string;
  readonly library: string;
}

/**
 * Renders the identity provider's ways to sign in. The fieldset is disabled until the script runs, and the password
 * field has no name, so a form without the script cannot submit the password.
 */
function providerContent(page: ProviderPage, view: SignInView): string {
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
