import type { Context } from "../../declare/context.ts";
import { tokenFor } from "../access/csrf.ts";
import { CallContext } from "../calls/call-context.ts";
import { outsideTransaction } from "../calls/origin.ts";
import type { Request } from "../request.ts";
import { RequestContext } from "../request-context.ts";

/** The form token in the current render of a live page, and the flash message in all renders for its request. */
interface ShownParts {
  token?: string;
  flash?: string;
}

const partsByRequest = new WeakMap<Request, ShownParts>();

/** Returns the request of a live page, whichever render the context belongs to; undefined for other pages. */
function liveRequestOf(ctx: Context): Request | undefined {
  const outer = outsideTransaction(ctx);
  if (outer instanceof CallContext) return outer.endpoint.live === true ? liveRequestOf(outer.outer) : undefined;
  const request = RequestContext.requestOf(outer);
  return request?.endpoint?.live === true ? request : undefined;
}

/** Returns the context of a live page's request, whichever render uses it. Returns any other context unchanged. */
export function liveContext(ctx: Context): Context {
  return liveRequestOf(ctx)?.ctx ?? ctx;
}

function partsOf(request: Request): ShownParts {
  const existing = partsByRequest.get(request);
  if (existing !== undefined) return existing;
  const parts: ShownParts = {};
  partsByRequest.set(request, parts);
  return parts;
}

/** Returns the form token of the current render of a live page; undefined for other pages. */
export function liveToken(ctx: Context): string | undefined {
  const request = liveRequestOf(ctx);
  return request && (partsOf(request).token ??= tokenFor(request.ctx));
}

/** Returns the flash message of a live page, calling `take` the first time; undefined for other pages. */
export function liveFlash(ctx: Context, take: (ctx: Context) => string): string | undefined {
  const request = liveRequestOf(ctx);
  return request && (partsOf(request).flash ??= take(request.ctx));
}

/** Returns the form token that the page shows; "" if it shows none. */
export function shownToken(request: Request): string {
  return partsByRequest.get(request)?.token ?? "";
}

/** Returns the flash message that the page shows; "" if it shows none. */
export function shownFlash(request: Request): string {
  return partsByRequest.get(request)?.flash ?? "";
}

/** Sets the message that the browser still shows, so every render for this request contains it. */
export function setShownFlash(request: Request, message: string): void {
  partsOf(request).flash = message;
}

/** Starts another render with a new form token, because a token identifies one submit. */
export function beginRender(request: Request): void {
  delete partsOf(request).token;
}
