/**
 * The part of every client other than types and methods. Global types have the prefix `globalThis`, because an
 * application may declare types of the same name.
 */
export const runtimeText = `/** The request of an error, and the headers of its response. */
export interface ApiAnswer {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: globalThis.Headers | undefined;
}

/**
 * A response with an error status, or a response that the application did not send, such as a proxy's login or error
 * page.
 */
export class ApiError extends Error {
  readonly status: number;
  /** The JSON body of the response; undefined if it has none. */
  readonly body: unknown;
  readonly method: string;
  readonly url: string;
  /** Response headers, such as X-Request-Id, and Retry-After for a 429 or 503. */
  readonly headers: globalThis.Headers;

  constructor(status: number, message: string, body?: unknown, { method = "", url = "", headers }: ApiAnswer = {}) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.body = body;
    this.method = method;
    this.url = url;
    this.headers = headers ?? new globalThis.Headers();
  }
}

/** One problem of a request, as a 400 reports it. */
export interface ApiProblem {
  /** The location, such as "body title". */
  readonly at: string;
  readonly problem: string;
}

/** Returns every problem that a 400 reports; empty for any other error. */
export function problemsOf(error: unknown): readonly ApiProblem[] {
  if (!(error instanceof ApiError) || error.status !== 400) return [];
  const { details } = (error.body ?? {}) as { readonly details?: { readonly problems?: unknown } | null };
  if (Array.isArray(details?.problems)) return details.problems as readonly ApiProblem[];
  // A single problem may be the error itself.
  const [, at, problem] = /^((?:path|query|form|header|cookie|body)(?: .+?)?): (.+)$/s.exec(error.message) ?? [];
  return at === undefined || problem === undefined ? [] : [{ at, problem }];
}

/** Headers by name; undefined values are omitted. */
export interface ApiHeaders {
  readonly [name: string]: string | number | boolean | readonly string[] | undefined;
}

export interface ApiOptions {
  /** The URL of the application, such as "https://app.example"; by default the origin of the page. */
  readonly baseUrl?: string | undefined;
  /** Headers of every call; a function runs before each call. */
  readonly headers?: ApiHeaders | (() => ApiHeaders | globalThis.Promise<ApiHeaders>) | undefined;
  /**
   * Determines whether cookies are sent; "include" by default. An application on another origin must set
   * \`credentials: true\` and name the origin in \`origins\`, which is not possible with "*".
   */
  readonly credentials?: "include" | "omit" | "same-origin" | undefined;
  /** Sends the requests; the global fetch by default. */
  readonly fetch?: ((url: string, init: globalThis.RequestInit) => globalThis.Promise<globalThis.Response>) | undefined;
}

export interface ApiCallOptions {
  /** Cancels the call: its promise rejects with the signal's reason. */
  readonly signal?: globalThis.AbortSignal | undefined;
  /** Headers of this call, in addition to those of every call. */
  readonly headers?: ApiHeaders | undefined;
}

type ApiScalar = string | number | boolean;

interface ApiCall {
  readonly query?: { readonly [name: string]: ApiScalar | readonly ApiScalar[] | undefined } | undefined;
  readonly body?: unknown;
  readonly answer: "json" | "nothing" | "file" | "json or nothing";
}

function caller({ baseUrl = "", headers, credentials = "include", fetch: request = (url, init) => globalThis.fetch(url, init) }: ApiOptions) {
  const base = baseUrl.replace(/\\/$/, "");
  return async <Answer>(
    method: string,
    path: readonly ApiScalar[],
    { query, body, answer }: ApiCall,
    options: ApiCallOptions = {},
  ) => {
    const every = typeof headers === "function" ? await headers() : headers;
    const own = {
      "X-CSRF-Token": method === "GET" ? undefined : csrfToken(base),
      "Content-Type": body === undefined ? undefined : "application/json",
    };
    const url = base + (path.map(segment).join("") || "/") + search(query);
    const response = await request(url, {
      method,
      headers: headersOf(own, every, options.headers),
      credentials,
      signal: options.signal ?? null,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok && answer === "file") return response as unknown as Answer;
    return (await valueOf(response, answer, { method, url, headers: response.headers })) as Answer;
  };
}

/** Reads the value of a response. Throws an ApiError for an error status, and for a response of another server. */
async function valueOf(response: globalThis.Response, answer: ApiCall["answer"], from: ApiAnswer): globalThis.Promise<unknown> {
  const { status } = response;
  const type = response.headers.get("Content-Type") ?? "";
  const text = await response.text();
  const isJson = /^application\\/(?:[^;\\s]+\\+)?json\\s*(?:;|$)/i.test(type);
  let body: unknown;
  let isWhole = text === "";
  try {
    if (text !== "" && (isJson || !response.ok)) body = JSON.parse(text);
    isWhole ||= isJson;
  } catch {
    isWhole = false;
  }
  const message = messageIn(body);
  if (!response.ok) throw new ApiError(status, typeof message === "string" ? message : \`the server responded with \${status}\`, body, from);
  // A newer version of the application may return JSON from a call that had no result.
  if (isWhole && (text !== "" || answer !== "json")) return answer === "nothing" ? undefined : body;
  const kind = text === "" ? "without a body" : \`with \${type === "" ? "no content type" : type}\`;
  throw new ApiError(status, \`the server responded with \${status} \${kind}, which this call never does: is the URL that of the application?\`, body, from);
}

function messageIn(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return undefined;
  return "error" in body ? body.error : "message" in body ? body.message : undefined;
}

/** Merges headers; if a name is repeated, its last value applies. */
function headersOf(...given: readonly (ApiHeaders | undefined)[]) {
  const all = new globalThis.Headers();
  for (const [name, value] of given.flatMap((headers) => Object.entries(headers ?? {})))
    if (value !== undefined) all.set(name, Array.isArray(value) ? value.join(", ") : String(value));
  return all;
}

/** Encodes a path segment. Refuses "." and "..", which would lead to a different path. */
function segment(value: ApiScalar): string {
  const text = String(value);
  if (text === "" || text === "." || text === "..") throw new TypeError(\`"\${text}" cannot be a segment of a path\`);
  return "/" + encodeURIComponent(text);
}

function search(query: ApiCall["query"]): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query ?? {}))
    for (const each of Array.isArray(value) ? (value as readonly ApiScalar[]) : [value as ApiScalar | undefined])
      if (each !== undefined) pairs.push(encodeURIComponent(name) + "=" + encodeURIComponent(String(each)));
  return pairs.length === 0 ? "" : "?" + pairs.join("&");
}

/** The page's CSRF token, only for its own origin, so that no other site receives it. */
function csrfToken(base: string): string | undefined {
  const { document, location } = globalThis as unknown as {
    readonly document?: { querySelector(selectors: string): { getAttribute(name: string): string | null } | null };
    readonly location?: { readonly href: string; readonly origin: string };
  };
  if (location !== undefined && base !== "" && new URL(base, location.href).origin !== location.origin) return undefined;
  return document?.querySelector('meta[name="csrf-token"]')?.getAttribute("content") ?? undefined;
}
`;
