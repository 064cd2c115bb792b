import { hash } from "node:crypto";
import { escapeHTML } from "../../lib/html.ts";
import type { Request } from "../request.ts";
import { shownFlash, shownToken } from "./shown.ts";

/** The query string of requests for a live page's script. */
export const scriptQuery = "_fw=live.js";

/** Adds the script that updates the page to its document. */
export function withLiveScript(request: Request, html: string): string {
  const { path, query } = request;
  const flash = Buffer.from(shownFlash(request)).toString("base64url");
  const address = query === "" ? path : `${path}?${query}`;
  const attributes = { src: `${path}?${scriptQuery}`, "data-url": address, "data-shown": hashOf(request, html) };
  const text = Object.entries({ ...attributes, "data-flash": flash }).map(
    ([name, value]) => `${name}="${escapeHTML(value)}"`,
  );
  const script = `<script defer ${text.join(" ")}></script>`;
  const end = html.lastIndexOf("</body>");
  return end === -1 ? html + script : html.slice(0, end) + script + html.slice(end);
}

/** Hashes a document without its form token, which differs in every response. */
export function hashOf(request: Request, html: string): string {
  const token = shownToken(request);
  return hash("sha256", token === "" ? html : html.replaceAll(token, ""), "base64url").slice(0, 22);
}
