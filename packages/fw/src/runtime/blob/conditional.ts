const legalETag = /^[\x21\x23-\x7e\x80-\xff]+$/;
const nextETag = /[\s,]*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?=,|$)/y;

/** The header value of a bare validator. Throws a TypeError where it holds what a header cannot. */
export function quoteETag(etag: string): string {
  if (legalETag.test(etag)) return `"${etag}"`;
  throw new TypeError(
    `an etag is printable ASCII without quotes or blanks (fw adds the quotes), not ${JSON.stringify(etag)}`,
  );
}

/** True when an If-None-Match header names this bare validator, or is `*`. Weak comparison, as RFC 9110 has it here. */
export function matchesETag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  nextETag.lastIndex = 0;
  for (let tag = nextETag.exec(ifNoneMatch); tag !== null; tag = nextETag.exec(ifNoneMatch)) {
    if (tag[1] === etag) return true;
  }
  return false;
}

/** True when an If-Range header, if there is one, names this very representation. A date never does: fw sends none. */
export function allowsRange(ifRange: string | undefined, etag: string | undefined): boolean {
  return ifRange === undefined || (etag !== undefined && ifRange.trim() === `"${etag}"`);
}
