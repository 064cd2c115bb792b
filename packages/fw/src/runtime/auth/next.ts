/** Limit: characters of the path that a sign-in redirects to. */
export const nextCharacters = 2000;

/** The base for relative URLs; no request ever goes there. */
const base = new URL("http://fw.invalid");

/**
 * Returns the path of this origin to which a sign-in or sign-out redirects, as a browser reads it; "/" for every value
 * that could lead to another origin. Browsers drop control characters, treat a backslash as a slash, and resolve dots,
 * also escaped ones, before they look for a host.
 */
export function localPath(next: string | undefined): string {
  if (next === undefined || next.length > nextCharacters || !startsAtRoot.test(next) || unprintable.test(next))
    return "/";
  const url = new URL(next, base);
  if (url.origin !== base.origin || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search + url.hash;
}

/** Matches one slash that no second slash or backslash follows. */
const startsAtRoot = /^\/(?![/\\])/;
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const unprintable = /[\x00-\x20\x7f-\x9f\\]/;
