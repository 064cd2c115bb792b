import { contentETag } from "../../../lib/asset-variants.ts";
import type { Request } from "../../request.ts";
import { sendEmpty, sendText } from "../../response/send.ts";
import type { InjectedEndpoint, InjectedEndpoints } from "../../routing/injected-endpoint.ts";
import type { SignInFlow } from "../sign-in-flow.ts";
import { providerContent } from "./markup.ts";
import { providerScript } from "./script.ts";

/** The configuration of Identity Platform. */
export interface ProviderConfiguration {
  /** The project's web API key. It identifies the project and is not a secret. */
  readonly apiKey: string;
  /** The host of the provider's pages: `<project>.firebaseapp.com`. */
  readonly domain: string;
  /** Base URL of the provider's API, as seen by browsers. */
  readonly api: string;
  /** Reads the provider's browser library; absent if no social provider is declared. */
  readonly library?: (() => Promise<string>) | undefined;
}

/** A provider's part of the sign-in page and the endpoints of its scripts. */
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

/** The provider's library opens the provider's pages in a frame, which one of Google's libraries inserts. */
function socialSources(api: string, domain: string): Sources {
  return {
    "script-src": ["'self'", "https://apis.google.com"],
    "connect-src": [...new Set([new URL(api).origin, providerAPI]), "https://securetoken.googleapis.com"],
    "frame-src": [`https://${domain}`],
  };
}

/** The API that the provider's library calls, whichever API checks passwords. */
const providerAPI = "https://identitytoolkit.googleapis.com";

/** Serves a script of the sign-in page, read at the first request. Browsers revalidate it by its ETag. */
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
