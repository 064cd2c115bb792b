import { fingerprintedMaxAge } from "../../lib/limits.ts";
import { isPromise } from "../../lib/promise.ts";
import { originHeaders, originsOf, preflightHeaders, preflightMethod } from "../access/origins.ts";
import { packageOf } from "../application.ts";
import { identify } from "../auth/identify.ts";
import type { Bundle, BundledPackage } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { decorateDocument, warnUndecorated } from "../page/decorate.ts";
import { renderFor } from "../page/refusal.ts";
import type { Request } from "../request.ts";
import { fail, goOnWith, refuse } from "../response/error.ts";
import { refuseMethod, sendRefusal, wantsHTML, type Refusal } from "../response/refusal.ts";
import { sendEmpty } from "../response/send.ts";
import type { Asset, SiteRedirect } from "../site/files.ts";
import { sendAsset, sendRedirect } from "../site/serve.ts";
import { allowedMethods, findFile, findPage, isRead } from "./route.ts";

const notFound: Refusal = { status: 404, message: messages.notFound };
const notAllowed: Refusal = { status: 405, message: messages.methodNotAllowed };

/** Answers a request that no endpoint takes: with a file, a site's redirect, the methods that would do, or 404. */
export function answerUnrouted(request: Request): void {
  if (request.path === "*") return sendEmpty(request, 204, ["Allow", request.app.bundle.methods.join(", ")]);
  const asked = preflightMethod(request.exchange);
  if (asked !== undefined && answerPreflight(request, asked)) return;
  const file = findFile(request);
  if (file !== undefined && isRead(request)) return sendFile(request, file);
  const allowed = allowedMethods(request, file !== undefined);
  if (allowed.length === 0) return answerNothing(request);
  if (request.exchange.method === "OPTIONS") return sendEmpty(request, 204, ["Allow", allowed.join(", ")]);
  answerNotAllowed(request, allowed);
}

/** Answers a browser that asks before it has a page of another origin call an API; false where no other origin may. */
function answerPreflight(request: Request, method: string): boolean {
  const { app, path } = request;
  const endpoint = app.bundle.endpoints[app.bundle.match(method === "HEAD" ? "GET" : method, path, [])];
  const origins = endpoint && originsOf(app, endpoint);
  if (origins === undefined) return false;
  const allow = allowedMethods(request, false).join(", ");
  sendEmpty(request, 204, ["Allow", allow, ...preflightHeaders(origins, method, request.exchange)]);
  return true;
}

/** Where nothing has the path, the document of a client-side router may; what is no page of its is no page at all. */
function answerNothing(request: Request): void {
  const fallback = findFallback(request);
  if (fallback !== undefined) return sendFile(request, fallback);
  const routed = request.app.bundle.packages.some(({ site }) => site?.fallback !== undefined);
  if (routed && isBelowAPI(request)) return sendRefusal(request, notFound, true);
  answerNotFound(request);
}

/** Sends a file of a site, or its redirect. */
export function sendFile(request: Request, file: Asset | SiteRedirect): void {
  const { app } = request;
  if (file.kind === "redirect") {
    sendRedirect(request, file);
    return request.finish();
  }
  const identified = app.decorate !== undefined && isDocument(file) && identifyForDecoration(request);
  goOnWith(request, identified, () => sendContents(request, file));
}

/** Identifies the user of a file for the dev bar only, which works without one if that fails. */
function identifyForDecoration(request: Request): unknown {
  const withoutUser = (error: unknown): void => warnUndecorated(request, error);
  try {
    const identified = identify(request);
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

function isDocument({ type }: Asset): boolean {
  return type.startsWith("text/html");
}

/** Answers 405: as the path's page does to a browser that goes to it, in a line to programs. */
function answerNotAllowed(request: Request, allowed: readonly string[]): void {
  const page = wantsHTML(request) ? findPage(request) : undefined;
  if (page === undefined) {
    allowOrigins(request);
    return refuseMethod(request, allowed);
  }
  request.addHeader("Allow", allowed.join(", "));
  renderIdentified(request, packageOf(request.app, page), notAllowed);
}

/** Lets the pages that may call an endpoint of the path read the refusal, as every other answer of that endpoint. */
function allowOrigins(request: Request): void {
  const { app, path, exchange } = request;
  const endpoints = app.bundle.methods.map((method) => app.bundle.endpoints[app.bundle.match(method, path, [])]);
  const origins = endpoints.map((each) => each && originsOf(app, each)).find((each) => each !== undefined);
  if (origins === undefined) return;
  const headers = originHeaders(origins, exchange, ["Allow", "", "X-Request-Id", ""]);
  for (let i = 0; i < headers.length; i += 2) request.addHeader(String(headers[i]), String(headers[i + 1]));
}

/** Answers 404: the designed page to a browser that goes to a page, JSON to programs. */
function answerNotFound(request: Request): void {
  const { packages } = request.app.bundle;
  const designs = packages.find(({ site }) => site?.notFound !== undefined) ?? packages.find(({ status }) => status);
  if (designs === undefined || !wantsHTML(request)) return refuse(request, notFound);
  renderIdentified(request, designs, notFound);
}

/** The forms of its layout are those of who is signed in, as on any other page. */
function renderIdentified(request: Request, owner: BundledPackage | undefined, refusal: Refusal): void {
  goOnWith(request, identify(request), () => renderFor(request, owner, refusal));
}

/** The document of a client-side router, for a browser that goes to a path which only that router knows. */
function findFallback(request: Request): Asset | undefined {
  if (!isRead(request) || !wantsHTML(request)) return undefined;
  for (const files of request.app.files) {
    const found = files.fallback();
    if (found !== undefined) return isBelowAPI(request) ? undefined : found;
  }
  return undefined;
}

const known = new WeakMap<Bundle, ReadonlySet<string>>();

/** True for a path that begins like those of the application's APIs: a mistake in one is no page. */
function isBelowAPI({ app: { bundle }, path }: Request): boolean {
  const first = known.get(bundle) ?? apiRoots(bundle);
  known.set(bundle, first);
  return first.has(path.split("/")[1] ?? "");
}

/** The first names of API routes that have more after them. */
function apiRoots({ endpoints }: Bundle): ReadonlySet<string> {
  const names = endpoints.flatMap(({ kind, route }) =>
    kind === "api" ? (/^\S+ \/([^/{]+)\//.exec(route)?.[1] ?? []) : [],
  );
  return new Set(names);
}
