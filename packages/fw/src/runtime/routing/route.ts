import type { BundledEndpoint } from "../bundle.ts";
import { BadInput } from "../decode/bad-input.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { messages } from "../error-messages.ts";
import { mayReadAsAnother } from "../mount/readings.ts";
import type { Request } from "../request.ts";
import type { Asset, SiteRedirect } from "../site/files.ts";

/**
 * The endpoint that a request leads to; HEAD leads to that of GET. Throws a BadInput for a malformed path, and for one
 * below a mount that what is mounted could take for another endpoint's.
 */
export function findEndpoint(request: Request, params: string[]): BundledEndpoint | undefined {
  const { bundle } = request.app;
  const { method } = request.exchange;
  const asked = method === "HEAD" && !bundle.methods.includes("HEAD") ? "GET" : method;
  const index = bundle.match(asked, request.path, params);
  if (index === -2) throw new BadInput(messages.badRequest);
  const endpoint = bundle.endpoints[index];
  const isSame = (reading: string): boolean => bundle.match(asked, reading, []) === index;
  if (endpoint?.kind === "mount" && mayReadAsAnother(request.path, isSame)) throw new BadInput(messages.badRequest);
  return endpoint;
}

/** What the sites hold at the request's path, the first one's before the others'. */
export function findFile({ app, path, query }: Request): Asset | SiteRedirect | undefined {
  for (const files of app.files) {
    const found = files.lookup(path, query);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A file whose name a route's parameter would take: the literal name beats the wildcard. */
export function findNamedFile(request: Request): Asset | undefined {
  if (request.app.files.length === 0 || !hasExtension(request.path) || !isRead(request)) return undefined;
  const found = findFile(request);
  return found?.kind === "asset" ? found : undefined;
}

/** True for GET and HEAD. */
export function isRead({ exchange: { method } }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** True for an endpoint that changes something, as far as its method says; of a mount that of the request. */
export function isUnsafe(
  endpoint: Pick<BundledEndpoint, "method">,
  request?: { readonly exchange: Pick<Exchange, "method"> },
): boolean {
  const method = endpoint.method === "*" ? (request?.exchange.method ?? "") : endpoint.method;
  return method !== "GET" && method !== "HEAD" && method !== "OPTIONS";
}

/** The methods that the request's path answers, in the order of the Allow header; none where nothing is there. */
export function allowedMethods({ app: { bundle }, path }: Request, file: boolean): string[] {
  const found = bundle.methods.filter((method) => bundle.match(method, path, []) >= 0);
  return namedMethods(file ? [...found, "GET"] : found);
}

/** The methods that an Allow header names where endpoints and files take these. */
export function namedMethods(methods: readonly string[]): string[] {
  const named = new Set(methods);
  if (named.has("GET")) named.add("HEAD");
  if (named.size > 0) named.add("OPTIONS");
  return [...named].toSorted();
}

/** A page that the request's path has, of whatever method. */
export function findPage({ app: { bundle }, path }: Request): BundledEndpoint | undefined {
  const found = bundle.methods.map((method) => bundle.endpoints[bundle.match(method, path, [])]);
  return found.find((endpoint) => endpoint?.kind === "page");
}

function hasExtension(path: string): boolean {
  const dot = path.lastIndexOf(".");
  return dot !== -1 && path.indexOf("/", dot) === -1;
}
