/** Where a bound field of a request can come from, by what messages call it: `400 header X-Page: …`. */
export const bindings = {
  path: { marker: "Path", carrier: "a path", lists: false, files: false },
  query: { marker: "Query", carrier: "a query string", lists: true, files: false },
  form: { marker: "Form", carrier: "a form", lists: true, files: true },
  header: { marker: "Header", carrier: "a header", lists: true, files: false },
  cookie: { marker: "Cookie", carrier: "a cookie", lists: false, files: false },
} as const;

export type BindingSource = keyof typeof bindings;

const sources = Object.keys(bindings) as BindingSource[];

export function isBindingSource(name: string): name is BindingSource {
  return Object.hasOwn(bindings, name);
}

/** The source that a type of `fw` binds to: `Query`. */
export function sourceOfMarker(name: string): BindingSource | undefined {
  return sources.find((source) => bindings[source].marker === name);
}
