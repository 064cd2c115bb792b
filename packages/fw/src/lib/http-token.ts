const token = /^[\w!#$%&'*+.^`|~-]+$/;

/** Whether a string is a token as defined in RFC 9110, such as the name of a header or cookie. */
export function isToken(text: string): boolean {
  return token.test(text);
}
