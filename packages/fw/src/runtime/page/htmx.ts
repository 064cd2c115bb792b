import type { HTMX } from "../../declare/context.ts";
import { percentDecoded } from "../../lib/percent.ts";
import type { Headers } from "../exchange/exchange.ts";

/** The value for requests not sent by htmx. */
export const noHTMX: HTMX = Object.freeze({ boosted: false, historyRestore: false, target: "", trigger: "" });

/** The header that every page varies by. */
export const variesByHTMX = "HX-Request";

/** The headers that a page varies by if its handler reads more than `ctx.isHTMX`. */
export const variesByHTMXDetails = "HX-Request, HX-Boosted, HX-History-Restore-Request, HX-Target, HX-Trigger";

export function isHTMX(request: Headers): boolean {
  return request.header("hx-request") === "true";
}

export function htmxOf(request: Headers): HTMX {
  return {
    boosted: request.header("hx-boosted") === "true",
    historyRestore: request.header("hx-history-restore-request") === "true",
    target: elementId(request, "hx-target"),
    trigger: elementId(request, "hx-trigger"),
  };
}

/** Creates the headers that forward htmx's headers to another service. */
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

const readsHeader = "x-fw-asked";

/** The response header of a service whose handler read the htmx headers. */
export const readsHTMXHeader: readonly [name: string, value: string] = [readsHeader, "htmx"];

/** True if another service's handler read the htmx headers. */
export function readsHTMX(headers: Readonly<Record<string, unknown>>): boolean {
  return headers[readsHeader] === "htmx";
}

/** Reads an id, which htmx percent-encodes if a header cannot contain it. */
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
