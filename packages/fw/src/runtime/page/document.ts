import type { HTML } from "../../declare/html.ts";
import type { Request } from "../request.ts";
import { usesLive } from "../capabilities.ts";
import { withLiveScript } from "../live/document.ts";
import { pageCaching } from "../response/cache-control.ts";
import { htmlType, sendText } from "../response/send.ts";
import { decorateDocument } from "./decorate.ts";

const contentSecurityPolicy =
  "default-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'; object-src 'none'";

export function sendHTML(request: Request, status: number, html: HTML, maxAge: number): void {
  const headers = pageCaching(request, maxAge);
  if (html.document)
    headers.push("Content-Security-Policy-Report-Only", contentSecurityPolicy, "X-Content-Type-Options", "nosniff");
  const text =
    usesLive && html.document && status === 200 && request.endpoint?.live === true
      ? withLiveScript(request, html.text)
      : html.text;
  sendText(request, status, htmlType, headers, html.document ? decorateDocument(request, text, maxAge, status) : text);
}
