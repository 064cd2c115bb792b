/** The parts of a service call that carry values; `fields` are the headers and cookies. */
export type Carrying = "path" | "query" | "form" | "fields";

/** A part of a request, such as the query string, that fields can be bound to. */
interface BindingDescription {
  /** The type of `fw` that binds a field to this part. */
  readonly marker: string;
  /** The name in error messages. */
  readonly carrier: string;
  /** Whether a field can hold a list. */
  readonly lists: boolean;
  readonly files: boolean;
  /** The part of a service call that carries the value. */
  readonly call: Carrying;
  /** An example of a valid name; present if HTTP restricts names to tokens. */
  readonly example?: string;
  /** A pattern of names that are reserved for the framework; `ctx` provides their values. */
  readonly own?: string;
  /** The header for `Vary`; `name` stands for the header with the field's name. */
  readonly varies?: "name" | "Cookie";
  /** Present if it may hold credentials. */
  readonly credentials?: true;
  /** Present if names are case-insensitive. */
  readonly ignoresCase?: true;
}

/** The request parts that fields can be bound to, keyed by their name in messages: `400 header X-Page: …`. */
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

/** Returns the request part that a type of `fw`, such as `Query`, binds a field to; undefined for other types. */
export function sourceOfMarker(name: string): BindingSource | undefined {
  return bindingSources.find((source) => bindings[source].marker === name);
}

export function wireName(source: BindingSource, name: string): string {
  return bindingOf(source).ignoresCase ? name.toLowerCase() : name;
}
