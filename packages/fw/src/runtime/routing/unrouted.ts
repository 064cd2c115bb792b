import { fingerprintedMaxAge } from "../../lib/limits.ts";
import { isPromise } from "../../lib/promise.ts";
import { originHeaders, originsOf, preflightHeaders, preflightMethod } from "../access/origins.ts";
import { packageOf } from "../application.ts";
import { identify } from "../auth/identify.ts";
import type { Bundle, BundledPackage } from "../bundle.ts";
import { usesIdentity, usesOrigins, usesPages, usesSites } from "../capabilities.ts";
import { messages } from "../error-messages.ts";
import { decorateDocument, warnUndecorated } from "../page/decorate.ts";
import { sendPackageRefusal } from "../page/refusal.ts";
import type { Request } from "../request.ts";
import { fail, continueWith, refuse } from "../response/error.ts";
import { refuseMethod, sendRefusal, wantsHTML, type Refusal } from "../response/refusal.ts";
import { sendEmpty } from "../response/send.ts";
import type { Asset, SiteRedirect } from "../site/files.ts";
import { sendAsset, sendRedirect } from "../site/serve.ts";
import { allowedMethods, findFile, findPage, isRead } from "./route.ts";

const notFound: Refusal = { status: 404, message: messages.notFound };
const notAllowed: Refusal = { status: 405, message: messages.methodNotAllowed };

/**
 * Responds to a request that matches no endpoint: to a CORS preflight, with a file or a site's redirect, with the
 * allowed methods, or with 404.
 */
export function answerUnrouted(request: Request): void {
  if (request.path === "*") return sendEmpty(request, 204, ["Allow", request.app.bundle.methods.join(", ")]);
  const preflight = usesOrigins ? preflightMethod(request.exchange) : undefined;
  if (preflight !== undefined && answerPreflight(request, preflight)) return;
  const file = usesSites ? findFile(request) : undefined;
  if (usesSites && file !== undefined && isRead(request)) return sendFile(request, file);
  const allowed = allowedMethods(request, file !== undefined);
  if (allowed.length === 0) return answerNothing(request);
  if (request.exchange.method === "OPTIONS") return sendEmpty(request, 204, ["Allow", allowed.join(", ")]);
  answerNotAllowed(request, allowed);
}

/** Responds to a CORS preflight for an endpoint. Returns false if pages of other origins may not call it. */
function answerPreflight(request: Request, method: string): boolean {
  const { app, path } = request;
  const endpoint = app.bundle.endpoints[app.bundle.match(method === "HEAD" ? "GET" : method, path, [])];
  const origins = endpoint && originsOf(app, endpoint);
  if (origins === undefined) return false;
  const allow = allowedMethods(request, false).join(", ");
  sendEmpty(request, 204, ["Allow", allow, ...preflightHeaders(origins, method, request.exchange)]);
  return true;
}

/**
 * Sends the document of a client-side router to a browser that navigates to one of its paths, otherwise a 404. If the
 * application has such a router, the 404 for a path that starts like an API's is always JSON.
 */
function answerNothing(request: Request): void {
  const fallback = usesSites ? findFallback(request) : undefined;
  if (usesSites && fallback !== undefined) return sendFile(request, fallback);
  if (!usesSites) return answerNotFound(request);
  const routed = request.app.bundle.packages.some(({ site }) => site?.fallback !== undefined);
  if (routed && isBelowAPI(request)) return sendRefusal(request, notFound, true);
  answerNotFound(request);
}

export function sendFile(request: Request, file: Asset | SiteRedirect): void {
  const { app } = request;
  if (file.kind === "redirect") {
    sendRedirect(request, file);
    return request.finish();
  }
  const identified = app.decorate !== undefined && file.type.startsWith("text/html") && identifyForDecoration(request);
  continueWith(request, identified, () => sendContents(request, file));
}

function identifyUser(request: Request): Promise<void> | void {
  const authentication = identify(request);
  if (isPromise(authentication)) return authentication.then((value) => void (request.authentication = value));
  request.authentication = authentication;
}

/** Identifies the user who requests a file, just for the dev bar. If that fails, the dev bar shows no user. */
function identifyForDecoration(request: Request): unknown {
  const withoutUser = (error: unknown): void => warnUndecorated(request, error);
  try {
    const identified = identifyUser(request);
    return isPromise(identified) ? identified.catch(withoutUser) : identified;
  } catch (error) {
    return withoutUser(error);
  }
}

function sendContents(request: Request, file: Asset): void {
  const maxAge = file.immutable ? fingerprintedMaxAge : 0;
  const document = request.app.decorate && ((html: string): string => decorateDocument(request, html, maxAge));
  sendAsset(request, file, { document })
    .then((sent) => (sent ? request.finish() : answerNotFound(request)))
    .catch((error: unknown) => fail(request, error));
}

/** Responds with 405: a page if a browser navigates to a page's path, otherwise text or, for a program, JSON. */
function answerNotAllowed(request: Request, methods: readonly string[]): void {
  const page = usesPages && wantsHTML(request) ? findPage(request) : undefined;
  if (!usesPages || page === undefined) {
    if (usesOrigins) allowOrigins(request);
    return refuseMethod(request, methods);
  }
  request.draft.addHeader("Allow", methods.join(", "));
  renderIdentified(request, packageOf(request.app, page), notAllowed);
}

/** Sets CORS headers on a refusal, so pages that may call an endpoint at this path can read it. */
function allowOrigins(request: Request): void {
  const { app, path, exchange } = request;
  const endpoints = app.bundle.methods.map((method) => app.bundle.endpoints[app.bundle.match(method, path, [])]);
  const origins = endpoints.map((each) => each && originsOf(app, each)).find((each) => each !== undefined);
  if (origins === undefined) return;
  const headers = originHeaders(origins, exchange, ["Allow", "", "X-Request-Id", ""]);
  for (let i = 0; i < headers.length; i += 2) request.draft.addHeader(String(headers[i]), String(headers[i + 1]));
}

/** Responds with 404: a browser that navigates gets a page of the application or text, a program gets JSON. */
function answerNotFound(request: Request): void {
  if (!usesPages) return refuse(request, notFound);
  const { packages } = request.app.bundle;
  const designs = packages.find(({ site }) => site?.notFound !== undefined) ?? packages.find(({ status }) => status);
  if (designs === undefined || !wantsHTML(request)) return refuse(request, notFound);
  renderIdentified(request, designs, notFound);
}

/** Sends a refusal as a page. Identifies the user first, because the layout may contain forms with tokens. */
function renderIdentified(request: Request, owner: BundledPackage | undefined, refusal: Refusal): void {
  continueWith(request, usesIdentity && identifyUser(request), () => sendPackageRefusal(request, owner, refusal));
}

/** Returns the document of a client-side router for a browser that navigates to one of its paths. */
function findFallback(request: Request): Asset | undefined {
  if (!isRead(request) || !wantsHTML(request)) return undefined;
  for (const files of request.app.files) {
    const file = files.fallback();
    if (file !== undefined) return isBelowAPI(request) ? undefined : file;
  }
  return undefined;
}

const apiRootsByBundle = new WeakMap<Bundle, ReadonlySet<string>>();

/** True for a path that starts like the application's APIs, where a typo must not return a page. */
function isBelowAPI({ app: { bundle }, path }: Request): boolean {
  const first = apiRootsByBundle.get(bundle) ?? apiRoots(bundle);
  apiRootsByBundle.set(bundle, first);
  return first.has(path.split("/")[1] ?? "");
}

/** Returns the first segments of API routes with more than one segment. */
function apiRoots({ endpoints }: Bundle): ReadonlySet<string> {
  const names = endpoints.flatMap(({ kind, route }) =>
    kind === "api" ? (/^\S+ \/([^/{]+)\//.exec(route)?.[1] ?? []) : [],
  );
  return new Set(names);
}
