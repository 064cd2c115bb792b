import { messages } from "../error-messages.ts";
import { scrapePath } from "../observe/metrics/scrape-path.ts";
import type { Request } from "../request.ts";
import { fail } from "../response/error.ts";
import { refuseMethod, sendRefusal, wantsHTML } from "../response/refusal.ts";
import { sendEmpty } from "../response/send.ts";
import type { InjectedEndpoint, InjectedEndpoints } from "./injected-endpoint.ts";
import { openApiPath } from "./openapi.ts";

/** `/_fw/z/` is reserved for diagnostics and serves only these paths. */
const diagnostics: ReadonlySet<string> = new Set([scrapePath, openApiPath]);

/** Returns the endpoint for a path below `/_fw/`, with the rest of the path; undefined if there is none. */
function findInjected(
  endpoints: InjectedEndpoints,
  path: string,
): { readonly endpoint: InjectedEndpoint; readonly rest: string } | undefined {
  if ((path === "z" || path.startsWith("z/")) && !diagnostics.has(path)) return undefined;
  const exact = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
  if (exact !== undefined) return { endpoint: exact, rest: "" };
  const key = longestPrefix(endpoints, path);
  const endpoint = key === undefined ? undefined : endpoints[key];
  return key === undefined || endpoint === undefined ? undefined : { endpoint, rest: path.slice(key.length) };
}

/** Returns the longest key that ends in a slash and is a prefix of the path; undefined if there is none. */
function longestPrefix(endpoints: InjectedEndpoints, path: string): string | undefined {
  let longest: string | undefined;
  for (const key of Object.keys(endpoints))
    if (key.endsWith("/") && path.startsWith(key) && key.length > (longest?.length ?? 0)) longest = key;
  return longest;
}

/** Handles a request below `/_fw/`, independently of the application's routes. */
export function answerInjected(request: Request, endpoints: InjectedEndpoints, path: string): void {
  const match = findInjected(endpoints, path);
  if (match === undefined)
    return sendRefusal(request, { status: 404, message: messages.notFound }, !wantsHTML(request));
  const { endpoint, rest } = match;
  request.injected = true;
  if (!endpoint.methods.includes(request.exchange.method)) return answerOtherMethod(request, endpoint);
  request.exchange.onceOver(() => request.finish());
  handle(request, endpoint, rest).catch((error: unknown) => fail(request, error));
}

function answerOtherMethod(request: Request, { methods }: InjectedEndpoint): void {
  const allowed = [...new Set([...methods, "OPTIONS"])].toSorted();
  if (request.exchange.method === "OPTIONS") return sendEmpty(request, 204, ["Allow", allowed.join(", ")]);
  refuseMethod(request, allowed);
}

async function handle(request: Request, endpoint: InjectedEndpoint, rest: string): Promise<void> {
  await endpoint.handle(request, rest);
}
