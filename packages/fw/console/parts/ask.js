const token = document.querySelector('meta[name="fw-console"]').content;

/** Asks the server; rejects with its sentence. */
export async function ask(operation, given = {}) {
  const answer = await fetch(`/_fw/console/api/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Fw-Console": token },
    body: JSON.stringify(given),
  });
  const body = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (answer.status === 403) throw new Error("The server has started anew: reload this page.");
  if (!answer.ok) throw new Error(body.error);
  return body;
}
