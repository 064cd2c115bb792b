/** Limit: characters of the path that a sign-in redirects to. */
export const nextCharacters = 2000;

/** A base for parsing relative URLs. No request is sent to it. */
const base = new URL("http://fw.invalid");

/**
 * Returns the path on this origin to redirect to after a sign-in or sign-out; "/" if it is missing or too long, or if a
 * browser could interpret it as a URL of another origin. Browsers drop control characters, treat backslashes as slashes
 * and resolve even escaped dots before they look for a host.
 */
export function localPath(next: string | undefined): string {
  if (next === undefined || next.length > nextCharacters || !startsAtRoot.test(next) || unprintable.test(next))
    return "/";
  const url = new URL(next, base);
  if (url.origin !== base.origin || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search + url.hash;
}

/** Matches a leading slash that is not followed by another slash or a backslash. */
const startsAtRoot = /^\/(?![/\\])/;
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const unprintable = /[\x00-\x20\x7f-\x9f\\]/;
