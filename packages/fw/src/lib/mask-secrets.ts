/** Shown in place of a secret value. */
export const masked = "•••";

const secretName =
  /authori[sz]ation|cookie|csrf|xsrf|secret|passw|passphrase|passcode|credential|signature|privatekey|apikey|accesskey|token$|session(?:id|key)?$|^(?:otp|pin|cvc|cvv|cardnumber)$/;

/** True for header and field names that usually hold a credential. */
export function isSecretName(name: string): boolean {
  return secretName.test(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""));
}

/**
 * Masks the value of a header that may contain a secret. Keeps the authorization scheme and the names of cookies, which
 * help with debugging.
 */
export function maskHeader(name: string, value: string): string {
  const key = name.toLowerCase();
  if (key === "cookie") return value.replaceAll(/=[^;]*/g, `=${masked}`);
  if (key === "set-cookie") return value.replace(/=[^;]*/, `=${masked}`);
  // For example, an Authenticator may read X-Partner-Key.
  if (!isSecretName(key) && (!key.endsWith("key") || key === "idempotency-key")) return value;
  const scheme = /^[A-Za-z]+(?= )/.exec(value)?.[0];
  return scheme === undefined ? masked : `${scheme} ${masked}`;
}

/** Masks values in a query string or form by field name. */
export function maskForm(text: string): string {
  return text
    .split("&")
    .map((pair) => {
      const end = pair.indexOf("=");
      return end !== -1 && isSecretName(pair.slice(0, end)) ? `${pair.slice(0, end)}=${masked}` : pair;
    })
    .join("&");
}

/** Masks parts of a multipart form by field name. */
export function maskMultipart(text: string, boundary: string): string {
  const delimiter = `--${boundary}`;
  return text
    .split(delimiter)
    .map((part) => {
      const headEnd = part.indexOf("\r\n\r\n");
      const name = /;\s*name="?([^";\r\n]*)/i.exec(part.slice(0, Math.max(headEnd, 0)))?.[1] ?? "";
      return isSecretName(name) ? `${part.slice(0, headEnd)}\r\n\r\n${masked}\r\n` : part;
    })
    .join(delimiter);
}

/** Masks members of JSON by name. Truncated JSON is masked as text. */
export function maskJSON(text: string): string {
  try {
    let isMasked = false;
    const value: unknown = JSON.parse(text, (name, member: unknown) => {
      // A boolean such as `hasPassword` is not a credential.
      if (member === null || typeof member === "boolean" || !isSecretName(name)) return member;
      isMasked = true;
      return masked;
    });
    return isMasked ? JSON.stringify(value) : text;
  } catch {
    const members = /"((?:[^"\\]|\\.)*)"\s*:\s*(?:"(?:[^"\\]|\\.)*(?:"|$)|[[{][^]*$|[^\s",[\]{}]+)/g;
    return text.replaceAll(members, (member, name: string) =>
      isSecretName(name) ? `${JSON.stringify(name)}:"${masked}"` : member,
    );
  }
}

/** Masks `<input>` and `<meta>` elements whose names suggest a credential, such as a CSRF token. */
export function maskHTML(html: string): string {
  return html.replaceAll(/<(?:input|meta)\b[^<>]*>/gi, (tag) => {
    const name = /\bname="?([^"\s>]*)/i.exec(tag)?.[1] ?? "";
    return isSecretName(name) ? tag.replace(/\b(value|content)="[^"]*"/i, `$1="${masked}"`) : tag;
  });
}

/** Masks a URL-encoded form, HTML or JSON; returns bodies of other content types unchanged. */
export function maskBody(text: string, type: string): string {
  if (/x-www-form-urlencoded/i.test(type)) return maskForm(text);
  if (/^text\/html/i.test(type)) return maskHTML(text);
  return /json/i.test(type) ? maskJSON(text) : text;
}
