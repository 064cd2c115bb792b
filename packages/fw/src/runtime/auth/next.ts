/** Limit: characters of the path that a sign-in redirects to. */
export const nextCharacters = 2000;

/** The base for relative URLs; no request is sent there. */
const base = new URL("http://fw.invalid");

/**
 * Returns the path on this origin to redirect to after a sign-in or sign-out; "/" if a browser could read the value as
 * a URL of another origin. Before they look for a host, browsers drop control characters, treat backslashes as slashes,
 * and resolve dots, even escaped ones.
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
