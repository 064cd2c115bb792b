import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";

/** The unchanged collection of requests and checks that the RealWorld project publishes for Postman. */
const file = new URL("Conduit.postman_collection.json", import.meta.url);

interface Folder {
  readonly name: string;
  readonly item: readonly (Folder | Call)[];
}

interface Call {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly url: string | { readonly raw: string };
    readonly header: readonly { readonly key: string; readonly value: string; readonly disabled?: boolean }[];
    readonly body?: { readonly raw?: string };
  };
  readonly event?: readonly { readonly listen: string; readonly script: { readonly exec: readonly string[] } }[];
}

/** The result of a request's checks. */
export interface CallResult {
  readonly name: string;
  readonly status: number;
  readonly checks: number;
  /** The names of the checks that failed. */
  readonly failures: readonly string[];
}

/** Sends the requests in order, and runs the scripts of the collection like Postman does. */
export async function runCollection(variables: Readonly<Record<string, string>>): Promise<readonly CallResult[]> {
  const globals: Record<string, unknown> = { ...variables };
  const results: CallResult[] = [];
  for (const { path, call } of callsOf(JSON.parse(readFileSync(file, "utf8")) as Folder, ""))
    results.push({ name: path, ...(await runCall(call, globals)) });
  return results;
}

function callsOf({ item }: Folder, path: string): { readonly path: string; readonly call: Call }[] {
  return item.flatMap((each) => {
    const name = `${path}/${each.name}`;
    return "item" in each ? callsOf(each, name) : [{ path: name, call: each }];
  });
}

async function runCall(
  { request, event = [] }: Call,
  globals: Record<string, unknown>,
): Promise<Omit<CallResult, "name">> {
  const resolved = (text: string): string =>
    text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(globals[name]));
  const url = typeof request.url === "string" ? request.url : request.url.raw;
  const headers = request.header
    .filter(({ disabled }) => disabled !== true)
    .map(({ key, value }): [string, string] => [key, resolved(value)]);
  const body = request.method === "GET" ? undefined : resolved(request.body?.raw ?? "");
  const response = await fetch(resolved(url), { method: request.method, headers, ...(body && { body }) });
  const tests: Record<string, boolean> = {};
  const context = {
    tests,
    environment: {},
    responseBody: await response.text(),
    responseCode: { code: response.status },
    pm: {
      globals: {
        get: (name: string) => globals[name],
        set: (name: string, value: unknown) => void (globals[name] = value),
      },
    },
  };
  for (const { listen, script } of event) if (listen === "test") runInNewContext(script.exec.join("\n"), context);
  const failures = Object.entries(tests).flatMap(([name, isPassed]) => (isPassed ? [] : [name]));
  return { status: response.status, checks: Object.keys(tests).length, failures };
}
