const token = /^[\w!#$%&'*+.^`|~-]+$/;

/** Whether a text is a token of RFC 9110, as names of headers and cookies are. */
export function isToken(text: string): boolean {
  return token.test(text);
}
