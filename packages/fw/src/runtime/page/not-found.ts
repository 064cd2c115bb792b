import { HTML } from "../../declare/html.ts";
import type { BundledSite } from "../bundle.ts";
import type { Request } from "../request.ts";
import { reportFault } from "../response/fault.ts";

/** The site's designed page for a 404, or undefined where it has none or that fails. */
export function notFoundPage(request: Request, site: BundledSite): HTML | undefined {
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
