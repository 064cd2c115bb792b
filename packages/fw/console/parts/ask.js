const token = document.querySelector('meta[name="fw-console"]').content;

/** Calls an operation of the server; rejects with the server's error message. */
export async function ask(operation, input = {}) {
  const response = await fetch(`/_fw/console/api/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Fw-Console": token },
    body: JSON.stringify(input),
  });
  const body = await response.json().catch(() => ({ error: `The server responded with status ${response.status}.` }));
  if (response.status === 403) throw new Error("The server has restarted. Reload this page.");
  if (!response.ok) throw new Error(body.error);
  return body;
}
