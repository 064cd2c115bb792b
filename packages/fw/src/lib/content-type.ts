/** Limit: characters in an object's content type. */
const contentTypeCharacters = 255;

const token = "[!#$%&'+.^_`|~0-9A-Za-z-]+";
const contentType = /* @__PURE__ */ new RegExp(`^${token}/${token}(?:[ \\t]*;[\\x20-\\x7e]*)?$`);
const wildcard = /* @__PURE__ */ new RegExp(`^${token}/(?:${token})?\\*$`);

/** Whether a string is a media type, with or without parameters, that fits in a header: `text/html; charset=utf-8`. */
export function isContentType(text: string): boolean {
  return text.length <= contentTypeCharacters && contentType.test(text);
}

/** Whether a string is a content type or a wildcard for several: `image/*`. */
export function isContentTypePattern(text: string): boolean {
  return isContentType(text) || isContentTypeWildcard(text);
}

export function isContentTypeWildcard(text: string): boolean {
  return text.length <= contentTypeCharacters && wildcard.test(text);
}

/** Returns the media type in lower case, without parameters. */
export function bareType(text: string): string {
  const semicolon = text.indexOf(";");
  return (semicolon === -1 ? text : text.slice(0, semicolon)).trim().toLowerCase();
}

/** True if a content type matches a pattern such as `image/*`, ignoring parameters. */
export function matchesContentType(pattern: string, type: string): boolean {
  const wanted = bareType(pattern);
  return wanted.endsWith("*") ? bareType(type).startsWith(wanted.slice(0, -1)) : bareType(type) === wanted;
}
