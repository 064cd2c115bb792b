/** The parts of a call between services; `fields` are the headers and cookies. */
export type Carrying = "path" | "query" | "form" | "fields";

/** Properties of a place in a request, independent of any field. */
interface BindingDescription {
  /** The type of `fw` that binds a field to it. */
  readonly marker: string;
  /** The name in error messages. */
  readonly carrier: string;
  /** True if it supports lists; and files. */
  readonly lists: boolean;
  readonly files: boolean;
  /** The part of a service call that carries it. */
  readonly call: Carrying;
  /** An example of a name, if HTTP limits names to tokens. */
  readonly example?: string;
  /** Names reserved for the framework, as a pattern: `ctx` exposes their values. */
  readonly own?: string;
  /** The header that answers vary by: the one with the field's name, or this one. */
  readonly varies?: "name" | "Cookie";
  /** It may hold credentials. */
  readonly credentials?: true;
  /** Names are case-insensitive. */
  readonly ignoresCase?: true;
}

/** The places of bound fields by their name in messages: `400 header X-Page: …`. */
export const bindings = {
  path: { marker: "Path", carrier: "a path", lists: false, files: false, call: "path" },
  query: { marker: "Query", carrier: "a query string", lists: true, files: false, call: "query", credentials: true },
  form: { marker: "Form", carrier: "a form", lists: true, files: true, call: "form" },
  header: {
    marker: "Header",
    carrier: "a header",
    lists: true,
    files: false,
    call: "fields",
    example: "X-Page",
    own: "^(?:x-fw-.*|cookie)$",
    varies: "name",
    credentials: true,
    ignoresCase: true,
  },
  cookie: {
    marker: "Cookie",
    carrier: "a cookie",
    lists: false,
    files: false,
    call: "fields",
    example: "theme",
    own: "^(?:__Host-)?fw_",
    varies: "Cookie",
    credentials: true,
  },
} as const;

export type BindingSource = keyof typeof bindings;

export const bindingSources = Object.keys(bindings) as readonly BindingSource[];

export function bindingOf(source: BindingSource): BindingDescription {
  return bindings[source];
}

export function isBindingSource(name: string): name is BindingSource {
  return Object.hasOwn(bindings, name);
}

/** Returns the source that a type of `fw` binds to, such as `Query`. */
export function sourceOfMarker(name: string): BindingSource | undefined {
  return bindingSources.find((source) => bindings[source].marker === name);
}

/** Returns the normalised name of a field on the wire. */
export function wireName(source: BindingSource, name: string): string {
  return bindingOf(source).ignoresCase ? name.toLowerCase() : name;
}
