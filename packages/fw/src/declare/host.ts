import type { EndpointDeclaration } from "./endpoint.ts";
import type { HTML } from "./html.ts";
import type { SiteDeclaration } from "./site.ts";
import type { Context } from "./context.ts";

/** The slot of a Context through which declarations reach the runtime. */
export const HOST: unique symbol = Symbol.for("fw.host");

/** What the runtime offers to declarations; one implementation, in `runtime/host.ts`. */
export interface Host {
  call(ctx: Context, endpoint: EndpointDeclaration, request: unknown): Promise<unknown>;
  render(ctx: Context, site: SiteDeclaration, template: string, data: unknown): HTML;
  fragment(ctx: Context, site: SiteDeclaration, template: string, data: unknown): HTML;
  markdown(ctx: Context, site: SiteDeclaration, text: string): string;
}
