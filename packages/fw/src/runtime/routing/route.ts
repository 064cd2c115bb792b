import type { BundledEndpoint } from "../bundle.ts";
import { usesMounts } from "../capabilities.ts";
import { BadInput } from "../decode/bad-input.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { messages } from "../error-messages.ts";
import { isAmbiguousPath } from "../mount/ambiguous-path.ts";
import type { Request } from "../request.ts";
import type { Asset, SiteRedirect } from "../site/files.ts";

/**
 * Returns the endpoint for a request; undefined if there is none. HEAD matches GET, unless an endpoint has the method
 * HEAD. Throws a BadInput for a malformed path, and for a path below a mount that the mounted library could interpret
 * as another endpoint's path.
 */
export function findEndpoint(request: Request, params: string[]): BundledEndpoint | undefined {
  const { bundle } = request.app;
  const asksHead = request.exchange.method === "HEAD" && !bundle.methods.includes("HEAD");
  const method = asksHead ? "GET" : request.exchange.method;
  const index = bundle.match(method, request.path, params);
  if (index === -2) throw new BadInput(messages.badRequest);
  const endpoint = bundle.endpoints[index];
  const isSame = (reading: string): boolean => bundle.match(method, reading, []) === index;
  if (usesMounts && endpoint?.kind === "mount" && isAmbiguousPath(request.path, isSame))
    throw new BadInput(messages.badRequest);
  return endpoint;
}

/** Returns the file or redirect at the request's path. If several sites have one, the first site wins. */
export function findFile({ app, path, query }: Request): Asset | SiteRedirect | undefined {
  for (const files of app.files) {
    const file = files.lookup(path, query);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** Returns the file at a path with an extension. Such a file takes precedence over a route parameter. */
export function findNamedFile(request: Request): Asset | undefined {
  if (request.app.files.length === 0 || !hasExtension(request.path) || !isRead(request)) return undefined;
  const file = findFile(request);
  return file?.kind === "asset" ? file : undefined;
}

export function isRead({ exchange: { method } }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** True for an endpoint with an unsafe method; for a mount, the request's method decides. */
export function isUnsafe(
  endpoint: Pick<BundledEndpoint, "method">,
  request?: { readonly exchange: Pick<Exchange, "method"> },
): boolean {
  const method = endpoint.method === "*" ? (request?.exchange.method ?? "") : endpoint.method;
  return method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
}

/** Returns the methods for the Allow header of the request's path; empty if nothing matches the path. */
export function allowedMethods({ app: { bundle }, path }: Request, file: boolean): string[] {
  const methods = bundle.methods.filter((method) => bundle.match(method, path, []) >= 0);
  return namedMethods(file ? [...methods, "GET"] : methods);
}

/** Returns the methods for an Allow header, given the methods of endpoints and files. */
export function namedMethods(methods: readonly string[]): string[] {
  const allowed = new Set(methods);
  if (allowed.has("GET")) allowed.add("HEAD");
  if (allowed.size > 0) allowed.add("OPTIONS");
  return [...allowed].toSorted();
}

/** Returns a page at the request's path, whatever its method; undefined if there is none. */
export function findPage({ app: { bundle }, path }: Request): BundledEndpoint | undefined {
  const endpoints = bundle.methods.map((method) => bundle.endpoints[bundle.match(method, path, [])]);
  return endpoints.find((endpoint) => endpoint?.kind === "page");
}

function hasExtension(path: string): boolean {
  const dot = path.lastIndexOf(".");
  return dot !== -1 && path.indexOf("/", dot) === -1;
}
