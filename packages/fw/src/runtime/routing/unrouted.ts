import { fingerprintedMaxAge } from "../../lib/limits.ts";
import { isPromise } from "../../lib/promise.ts";
import { identify } from "../auth/identify.ts";
import type { BundledSite } from "../bundle.ts";
import { messages } from "../messages.ts";
import { pathOf, sendHTML } from "../page/document.ts";
import { notFoundPage } from "../page/not-found.ts";
import type { Request } from "../request.ts";
import { fail, refuse } from "../response/error.ts";
import { refuseMethod, wantsHTML } from "../response/refusal.ts";
import { prepareStream, sendEmpty } from "../response/reply.ts";
import type { Asset, SiteRedirect } from "../site/files.ts";
import { sendAsset, sendRedirect } from "../site/serve.ts";
import { allowedMethods, findFile, isRead } from "./route.ts";

const notFound = { status: 404, message: messages.notFound };

/** Answers a request that no endpoint takes: with a file, a site's redirect, the methods that would do, or 404. */
export function answerUnrouted(request: Request): void {
  if (request.path === "*") return sendEmpty(request, 204, ["Allow", request.app.bundle.methods.join(", ")]);
  const file = findFile(request);
  if (file !== undefined && isRead(request)) return sendFile(request, file);
  const allowed = allowedMethods(request, file !== undefined);
  if (allowed.length === 0) return answerNotFound(request);
  if (request.req.method === "OPTIONS") return sendEmpty(request, 204, ["Allow", allowed.join(", ")]);
  refuseMethod(request, allowed);
}

/** Sends a file of a site, or its redirect. */
export function sendFile(request: Request, file: Asset | SiteRedirect): void {
  const { app } = request;
  prepareStream(request);
  if (file.kind === "redirect") {
    sendRedirect(request.res, file);
    return request.finish();
  }
  const identified = app.decorate !== undefined && isDocument(file) && identify(request);
  if (!isPromise(identified)) return sendContents(request, file);
  identified.then(() => sendContents(request, file)).catch((error: unknown) => fail(request, error));
}

function sendContents(request: Request, file: Asset): void {
  const { req, res, app } = request;
  const { decorate } = app;
  const maxAge = file.immutable ? fingerprintedMaxAge : 0;
  const document =
    decorate && ((html: string): string => decorate(html, { ctx: request, maxAge, path: pathOf(request) }));
  sendAsset(req, res, file, { document })
    .then((sent) => (sent ? request.finish() : answerNotFound(request)))
    .catch((error: unknown) => fail(request, error));
}

function isDocument({ type }: Asset): boolean {
  return type.startsWith("text/html");
}

/** Answers 404: the designed page to a browser that goes to a page, JSON to programs. */
function answerNotFound(request: Request): void {
  const site = request.app.bundle.packages.find((each) => each.site?.notFound !== undefined)?.site;
  if (site === undefined || !wantsHTML(request) || request.isHTMX) return refuse(request, notFound);
  const identified = identify(request);
  if (!isPromise(identified)) return sendDesigned(request, site);
  identified.then(() => sendDesigned(request, site)).catch((error: unknown) => fail(request, error));
}

/** The forms of its layout are those of who is signed in, as on any other page. */
function sendDesigned(request: Request, site: BundledSite): void {
  const designed = notFoundPage(request, site);
  if (designed === undefined) return refuse(request, notFound);
  sendHTML(request, 404, designed, 0);
}
