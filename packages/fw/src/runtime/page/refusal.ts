import { HTML, isHTML } from "../../declare/html.ts";
import type { StatusPageDeclaration } from "../../declare/status.ts";
import type { BundledPackage, BundledSite } from "../bundle.ts";
import type { Request } from "../request.ts";
import { reportFault } from "../response/fault.ts";
import { type Refusal, sendRefusal } from "../response/refusal.ts";
import { sendHTML } from "./document.ts";

/**
 * Answers a refusal in the name of a package: a 404 with the site's designed page, any other with the status page, and where
 * there is none, or htmx would put a document inside of another, as plain text.
 */
export function renderFor(request: Request, owner: BundledPackage | undefined, refusal: Refusal): void {
  const { site, status } = owner ?? {};
  if (request.isHTMX) return sendPlain(request, refusal);
  const designed = refusal.status === 404 && site !== undefined ? notFoundPage(request, site) : undefined;
  if (designed !== undefined) return sendHTML(request, 404, designed, 0);
  if (status === undefined) return sendPlain(request, refusal);
  renderStatus(request, status, refusal).catch((error: unknown) => {
    reportFault(request, error);
    sendPlain(request, refusal);
  });
}

/** The site's designed page for a 404, or undefined where it has none or that fails. */
function notFoundPage(request: Request, site: BundledSite): HTML | undefined {
  if (site.notFound === undefined) return undefined;
  const { host } = request.app;
  const { declaration, notFound, templates } = site;
  try {
    if (Object.hasOwn(templates, "layout.html")) return host.render(request.ctx, declaration, notFound, {});
    return new HTML(host.fragment(request.ctx, declaration, notFound, {}).text, true);
  } catch (error) {
    reportFault(request, error);
    return undefined;
  }
}

/** htmx gets plain text where others get a page. */
function sendPlain(request: Request, refusal: Refusal): void {
  request.addHeader("Vary", request.varies);
  sendRefusal(request, refusal, false);
}

async function renderStatus(request: Request, page: StatusPageDeclaration, refusal: Refusal): Promise<void> {
  const { status: code, policy = "", message } = refusal;
  const html: unknown = await page.handler(request.ctx, { code, policy, message });
  if (!isHTML(html)) throw new Error("a status page returns what site.render or site.fragment made");
  sendHTML(request, code, html, 0);
}
