import { escapeHTML } from "../../lib/html.ts";
import type { BundledAuth } from "../bundle.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import type { Request } from "../request.ts";
import { htmlType, sendText } from "../response/send.ts";
import { signInStyle, signInStyleSource } from "./sign-in-style.ts";

/** A page of the framework for signing in or managing accounts. */
export interface FramedPage {
  readonly app: string;
  readonly title: string;
  readonly heading: string;
  /** The HTML below the heading. */
  readonly content: string;
  /** The path of the application's own stylesheet. */
  readonly style?: string | undefined;
}

/** Renders a page in the style that the sign-in and account pages share. Adds no script. */
export function framedDocument({ app, title, heading, content, style }: FramedPage): string {
  const own = style === undefined ? "" : `\n<link rel="stylesheet" href="${escapeHTML(style)}">`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHTML(`${title} – ${app}`)}</title>
<style>${signInStyle}</style>${own}
</head>
<body>
<main>
<h1><small>${escapeHTML(app)}</small>${heading}</h1>
${content}
</main>
</body>
</html>
`;
}

/**
 * Sends a framed page that is not cached and cannot be embedded. It runs only scripts that the `sources` of the sign-in
 * flow allow.
 */
export function sendFramed(request: Request, status: number, document: string): void {
  sendText(request, status, htmlType, headersOf(request), document);
}

function headersOf({ app }: Request): RawHeaders {
  const flow = app.settings.signIn === "provider" ? app.signInFlow : undefined;
  return Object.entries({
    "Content-Security-Policy": policyWith(app.bundle.auth, flow?.sources ?? {}),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    // With `no-referrer`, browsers send `Origin: null`, which fw refuses without Sec-Fetch-Site. Some providers check
    // the page's origin.
    "Referrer-Policy": app.signInFlow === undefined ? "same-origin" : "strict-origin-when-cross-origin",
  }).flat();
}

type Sources = Readonly<Record<string, readonly string[]>>;

const ownSources: Sources = {
  "default-src": ["'none'"],
  "style-src": [signInStyleSource],
  "img-src": ["'self'"],
  "form-action": ["'self'"],
  "base-uri": ["'none'"],
  "frame-ancestors": ["'none'"],
};

/** Returns the page's content security policy, with the sources of a provider's flow and the application's style. */
function policyWith(auth: BundledAuth | undefined, more: Sources): string {
  const styled: Sources = auth?.style === undefined ? {} : { "style-src": ["'self'"], "font-src": ["'self'"] };
  const all = [ownSources, more, styled];
  const directives = [...new Set(all.flatMap((sources) => Object.keys(sources)))];
  return directives.map((name) => [name, ...all.flatMap((sources) => sources[name] ?? [])].join(" ")).join("; ");
}

/** Renders a refusal as an alert. */
export function alertOf(refusal: string): string {
  return `<p role="alert" id="refusal">${escapeHTML(refusal)}</p>`;
}
