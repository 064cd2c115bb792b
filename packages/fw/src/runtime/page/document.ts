import type { HTML } from "../../declare/html.ts";
import type { Request } from "../request.ts";
import { pageCaching } from "../response/cache-control.ts";
import { htmlType, sendText } from "../response/send.ts";
import { isRead } from "../routing/route.ts";

const contentSecurityPolicy =
  "default-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'; object-src 'none'";

/** Sends rendered HTML, a document or a fragment. */
export function sendHTML(request: Request, status: number, html: HTML, maxAge: number): void {
  const headers = pageCaching(request, maxAge);
  if (html.document)
    headers.push("Content-Security-Policy-Report-Only", contentSecurityPolicy, "X-Content-Type-Options", "nosniff");
  sendText(request, status, htmlType, headers, html.document ? decorated(request, html, maxAge) : html.text);
}

function decorated(request: Request, { text }: HTML, maxAge: number): string {
  const { decorate } = request.app;
  return decorate === undefined || request.caller !== undefined
    ? text
    : decorate(text, { ctx: request.ctx, maxAge, path: pathOf(request) });
}

/** Where a browser that shows this document can come back to; "/" for one that answers a form. */
export function pathOf(request: Request): string {
  if (!isRead(request)) return "/";
  return request.query === "" ? request.path : `${request.path}?${request.query}`;
}
