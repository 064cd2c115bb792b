import { nextCharacters } from "../../lib/limits.ts";

/** Only resolves what is relative; no request ever goes there. */
const base = new URL("http://fw.invalid");

/**
 * The path of this origin that a sign-in or sign-out leads on to, as a browser reads it; "/" for everything that could lead
 * elsewhere. Browsers drop control characters, take a backslash for a slash, and resolve dots, also escaped ones, before they
 * look for a host.
 */
export function localPath(next: string | undefined): string {
  if (next === undefined || next.length > nextCharacters || !startsAtRoot.test(next) || unprintable.test(next))
    return "/";
  const url = new URL(next, base);
  if (url.origin !== base.origin || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search + url.hash;
}

/** One slash, and nothing after it that reads as a second. */
const startsAtRoot = /^\/(?![/\\])/;
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const unprintable = /[\x00-\x20\x7f-\x9f\\]/;
