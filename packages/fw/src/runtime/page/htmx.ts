import type { HTMX } from "../../declare/context.ts";
import { percentDecoded } from "../../lib/percent.ts";
import type { Headers } from "../exchange/exchange.ts";

/** Of what htmx did not ask for. */
export const noHTMX: HTMX = Object.freeze({ boosted: false, historyRestore: false, target: "", trigger: "" });

/** What every page's answer may differ by. */
export const variesByHTMX = "HX-Request";

/** What an answer may differ by whose handler looked at more than `ctx.isHTMX`. */
export const variesByHTMXDetails = "HX-Request, HX-Boosted, HX-History-Restore-Request, HX-Target, HX-Trigger";

/** Whether htmx asks. */
export function isHTMX(request: Headers): boolean {
  return request.header("hx-request") === "true";
}

/** What htmx says of a request in its headers. */
export function htmxOf(request: Headers): HTMX {
  return {
    boosted: request.header("hx-boosted") === "true",
    historyRestore: request.header("hx-history-restore-request") === "true",
    target: elementId(request, "hx-target"),
    trigger: elementId(request, "hx-trigger"),
  };
}

/** The headers by which another service hears the same. */
export function htmxHeaders(htmx: HTMX | undefined): Record<string, string> {
  if (htmx === undefined) return {};
  return {
    "HX-Request": "true",
    ...(htmx.boosted ? { "HX-Boosted": "true" } : {}),
    ...(htmx.historyRestore ? { "HX-History-Restore-Request": "true" } : {}),
    ...idHeaders("HX-Target", htmx.target),
    ...idHeaders("HX-Trigger", htmx.trigger),
  };
}

const askedHeader = "x-fw-asked";

/** How an answer says to another service that its handler looked at what htmx says. */
export const asksHTMXHeaders: readonly [name: string, value: string] = [askedHeader, "htmx"];

/** Whether the handler of another service looked at what htmx says of the request. */
export function asksHTMX(headers: Readonly<Record<string, unknown>>): boolean {
  return headers[askedHeader] === "htmx";
}

/** htmx percent-encodes an id that a header cannot hold, and says so in another. */
function elementId(request: Headers, name: string): string {
  const id = request.header(name);
  if (id === undefined) return "";
  return request.header(`${name}-uri-autoencoded`) === "true" ? percentDecoded(id) : id;
}

function idHeaders(name: string, id: string): Record<string, string> {
  if (id === "") return {};
  if (/^[\x21-\x7e]+$/.test(id)) return { [name]: id };
  return { [name]: encodeURIComponent(id), [`${name}-URI-AutoEncoded`]: "true" };
}
