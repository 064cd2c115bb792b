const token = document.querySelector('meta[name="fw-console"]').content;

/** Returns the words of a setting of the page; empty in development, where everything is allowed. */
const settingOf = (name) =>
  document.querySelector(`meta[name="fw-console-${name}"]`).content.split(" ").filter(Boolean);
const operations = settingOf("operations");

/** The ids of the sections that the server offers; empty if it offers all. */
export const offeredSections = settingOf("sections");

/** True if the page may call an operation. */
export const can = (operation) => operations.length === 0 || operations.includes(operation);

/** Calls an operation of the server; rejects with the server's error message. `language` replaces the browser's. */
export async function ask(operation, input = {}, language) {
  const response = await fetch(`/_fw/console/api/${operation}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Fw-Console": token,
      ...(language !== undefined && { "Accept-Language": language }),
    },
    // Omit cookies, because one of them may also name a language.
    ...(language !== undefined && { credentials: "omit" }),
    body: JSON.stringify(input),
  });
  const body = await response.json().catch(() => ({ error: `The server responded with status ${response.status}.` }));
  if (response.status === 403) throw new Error("The server has restarted. Reload this page.");
  if (!response.ok) throw Object.assign(new Error(body.error), { problems: body.problems, code: body.code });
  return body;
}
