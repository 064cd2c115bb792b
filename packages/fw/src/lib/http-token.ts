const token = /^[\w!#$%&'*+.^`|~-]+$/;

/** Whether a text is a token of RFC 9110, such as the name of a header or cookie. */
export function isToken(text: string): boolean {
  return token.test(text);
}
