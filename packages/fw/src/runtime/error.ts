import { isStatusError } from "../declare/errors.ts";
import { Disconnected } from "./body.ts";
import { messages } from "./messages.ts";
import { renderRefusal } from "./page/status.ts";
import { sendText } from "./reply.ts";
import type { Request } from "./request.ts";

/** An error as a visitor may know it. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Answers a request that failed. What is no refusal is logged under the request's id and answered as an opaque 500. */
export function fail(request: Request, error: unknown): void {
  if (error instanceof Disconnected || request.req.socket.destroyed) return request.finish();
  const refusal = refusalOf(error);
  if (refusal === undefined) reportFault(request, error);
  if (request.res.headersSent) return cutShort(request);
  refuse(request, refusal ?? { status: 500, message: internalMessage(request) });
}

/** Answers a refusal: JSON on an API route, text or the designed page on a page. */
export function refuse(request: Request, refusal: Refusal): void {
  dropHeaders(request);
  if (request.endpoint?.kind === "page") return renderRefusal(request, request.endpoint, refusal);
  sendRefusal(request, refusal, wantsJSON(request));
}

/** Sends a refusal as JSON or as plain text. */
export function sendRefusal(request: Request, { status, message }: Refusal, json: boolean): void {
  const headers = ["Cache-Control", "no-cache", "X-Content-Type-Options", "nosniff"];
  if (json) return sendText(request, status, "application/json", headers, JSON.stringify({ error: message }));
  sendText(request, status, "text/plain; charset=utf-8", headers, message);
}

/** Refuses a method that the path does not answer, naming those it does. */
export function refuseMethod(request: Request, allowed: readonly string[]): void {
  request.res.setHeader("Allow", allowed.join(", "));
  sendRefusal(request, { status: 405, message: messages.methodNotAllowed }, wantsJSON(request));
}

/** Logs an error of the program and tells who watches. */
export function reportFault(request: Request, error: unknown): void {
  const { route, requestId } = request;
  request.log.error("the request failed", { route, error: error instanceof Error ? error : new Error(String(error)) });
  request.app.onFault?.({ error, requestId, route });
}

/** True where the answer is for a program: an API route, or no route and a client that does not ask for HTML. */
export function wantsJSON(request: Request): boolean {
  return request.endpoint === undefined ? !wantsHTML(request) : request.endpoint.kind === "api";
}

/** True when the client names HTML among what it accepts, as browsers do when they go to a page. */
export function wantsHTML({ req }: Request): boolean {
  return req.headers.accept?.includes("text/html") ?? false;
}

function refusalOf(error: unknown): Refusal | undefined {
  if (!isStatusError(error)) return undefined;
  const { status, message } = error;
  return Number.isInteger(status) && status >= 400 && status <= 599 ? { status, message } : undefined;
}

function internalMessage(request: Request): string {
  return wantsJSON(request) ? messages.internal : messages.internalWithId(request.requestId);
}

/** A response that has begun cannot become another one: the client must see that it is incomplete. */
function cutShort(request: Request): void {
  request.req.socket.destroy();
  request.finish();
}

/** Removes the headers that were prepared for a response that is not sent. */
function dropHeaders({ res }: Request): void {
  for (const name of res.getHeaderNames()) res.removeHeader(name);
}
