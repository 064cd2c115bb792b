/** Returns a function that calls operations of a dev server's console like its page does. */
export async function consoleOf(url: string): Promise<<T>(operation: string, input?: object) => Promise<T>> {
  const page = await (await fetch(`${url}/_fw/console`)).text();
  const token = /name="fw-console" content="([^"]+)"/.exec(page)?.[1] ?? "";
  return async <T>(operation: string, input: object = {}) => {
    const headers = { "x-fw-console": token, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(input) };
    const response = await fetch(`${url}/_fw/console/api/${operation}`, init);
    const body = (await response.json()) as T & { readonly error?: string };
    if (!response.ok) throw new Error(`${response.status}: ${body.error}`);
    return body;
  };
}
