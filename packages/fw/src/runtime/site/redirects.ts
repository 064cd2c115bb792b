import { pathNames } from "./path.ts";

/** Returns the Location of a moved path's 301, or undefined. */
export type Redirects = (names: readonly string[], query: string) => string | undefined;

/** Prepares a site's `redirects`, whose keys are whole paths. */
export function redirectsOf(redirects: Readonly<Record<string, string>>): Redirects {
  const targets = new Map<string, string>();
  for (const [from, to] of Object.entries(redirects)) targets.set(keyOf(pathNames(from) ?? [from]), headerValue(to));
  if (targets.size === 0) return () => undefined;
  return (names, query) => {
    const target = targets.get(keyOf(names));
    return target === undefined ? undefined : withQuery(target, query);
  };
}

function keyOf(names: readonly string[]): string {
  return `/${names.join("/")}`;
}

/** Escapes characters that a header cannot hold and leaves existing escapes alone. */
function headerValue(url: string): string {
  return url.replace(/[^\x21-\x7e]+/gu, encodeURIComponent);
}

/** Adds a request's query to a URL, before its fragment. */
export function withQuery(url: string, query: string): string {
  if (query === "") return url;
  const hash = url.indexOf("#");
  const [base, fragment] = hash === -1 ? [url, ""] : [url.slice(0, hash), url.slice(hash)];
  return `${base}${base.includes("?") ? "&" : "?"}${query}${fragment}`;
}
