import { HTML, isHTML } from "../../declare/html.ts";
import type { StatusPageDeclaration } from "../../declare/status.ts";
import type { BundledPackage, BundledSite } from "../bundle.ts";
import type { Request } from "../request.ts";
import { reportFault } from "../response/fault.ts";
import { type Refusal, sendRefusal } from "../response/refusal.ts";
import { sendHTML } from "./document.ts";

/**
 * Responds to a refusal with the site's 404 page or the status page of the package, or else with plain text. htmx
 * always gets text, because it would insert a whole document into the current page.
 */
export function sendPackageRefusal(request: Request, owner: BundledPackage | undefined, refusal: Refusal): void {
  const { site, status } = owner ?? {};
  if (request.isHTMX) return sendPlain(request, refusal);
  const page = refusal.status === 404 && site !== undefined ? notFoundPage(request, site) : undefined;
  if (page !== undefined) return sendHTML(request, 404, page, 0);
  if (status === undefined) return sendPlain(request, refusal);
  renderStatus(request, status, refusal).catch((error: unknown) => {
    reportFault(request, error);
    sendPlain(request, refusal);
  });
}

/** Renders the site's 404 page; undefined if it has none or rendering fails. */
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

function sendPlain(request: Request, refusal: Refusal): void {
  request.draft.addHeader("Vary", request.varies);
  sendRefusal(request, refusal, false);
}

async function renderStatus(request: Request, page: StatusPageDeclaration, refusal: Refusal): Promise<void> {
  const { status: code, policy = "", message } = refusal;
  const html: unknown = await page.handler(request.ctx, { code, policy, message });
  if (!isHTML(html)) throw new Error("a status page must return the result of site.render or site.fragment");
  sendHTML(request, code, html, 0);
}
