import { cloudAttemptMs } from "../../../lib/limits.ts";
import { CloudError, refusedError, unansweredError } from "./cloud-error.ts";
import { NoResponse, type CloudAnswer, type Connections } from "./connections.ts";
import type { Api, Endpoint } from "./endpoints.ts";
import type { CloudIdentity } from "./identity.ts";
import { Retries } from "./retry.ts";
import { readText } from "./read-text.ts";

export interface CloudRequest {
  readonly api: Api;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below the API's base URL, percent-encoded and with a leading "/". */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Whether the call is idempotent and may be retried when its outcome is unknown. Defaults to true for GET. */
  readonly repeatable?: boolean;
  /** Returns whether to retry after other errors as well. */
  readonly alsoRetry?: (error: CloudError) => boolean;
  /** Aborts the call with its reason. Each attempt also has its own timeout. */
  readonly signal?: AbortSignal;
  /** Stops retries once aborted. */
  readonly triesUntil?: AbortSignal;
}

/** A call whose request or response body is bytes. */
export interface CloudTransfer extends Omit<CloudRequest, "body"> {
  /** A stream can be sent only once. Bytes are sent unchanged, any other value as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls Google APIs with the process's identity. */
export interface CloudClient {
  /**
   * Returns the JSON response; undefined if it is empty. Each attempt has a timeout. Rejects with a CloudError or the
   * signal's reason.
   */
  call<Answer>(request: CloudRequest): Promise<Answer>;
  /** Returns the response with its body as a stream. Rejects like `call`. */
  open(request: CloudTransfer): Promise<CloudAnswer>;
  close(): Promise<void>;
}

/** Binds a client's calls, or their retries, to a signal. */
export function clientUntil(
  client: CloudClient,
  until: { readonly signal: AbortSignal } | { readonly triesUntil: AbortSignal },
): CloudClient {
  const withSignal = <Request extends CloudTransfer>(request: Request): Request => {
    const own = "signal" in until ? request.signal : undefined;
    return { ...request, ...until, ...(own && "signal" in until && { signal: AbortSignal.any([own, until.signal]) }) };
  };
  return {
    call: (request) => client.call(withSignal(request)),
    open: (request) => client.open(withSignal(request)),
    close: () => client.close(),
  };
}

interface ClientParts {
  readonly connections: Connections;
  readonly endpointOf: (api: Api) => Endpoint;
  readonly identity: CloudIdentity;
  readonly retries?: Retries;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function openClient({
  connections,
  endpointOf,
  identity,
  retries = new Retries(),
  headers: commonHeaders,
}: ClientParts): CloudClient {
  /** Sends one request; throws on error responses. */
  const attempt = async (request: CloudTransfer, headers: Record<string, string>): Promise<CloudAnswer> => {
    const { target } = endpointOf(request.api);
    const name = nameOf(request);
    const body = bodyOf(request.body, headers);
    const outgoing = { target, method: request.method, path: pathOf(request), headers, body, answerMs: cloudAttemptMs };
    const answer = await connections.send({ ...outgoing, signal: request.signal }).catch((error: unknown) => {
      throw error instanceof NoResponse ? unansweredError(name, error, error.wasSent) : error;
    });
    if (answer.status < 400) return answer;
    const text = await readText(answer.body).catch(() => "");
    throw refusedError(name, { ...answer, text });
  };

  const authorized = async (request: CloudTransfer): Promise<CloudAnswer> => {
    const token = endpointOf(request.api).emulated ? "owner" : await identity.accessToken();
    try {
      return await attempt(request, { ...commonHeaders, ...request.headers, authorization: `Bearer ${token}` });
    } catch (error) {
      if (error instanceof CloudError && error.status === 401) identity.forgetAccessToken(token);
      throw error;
    }
  };

  const repeat = async <T>(request: CloudTransfer, once: () => Promise<T>): Promise<T> => {
    if (request.body instanceof ReadableStream) return once();
    let isTokenRenewed = false;
    return retries.repeat({ ...request, repeatable: request.repeatable ?? request.method === "GET" }, async () => {
      try {
        return await once();
      } catch (error) {
        // Retries once with a new token after a 401.
        if (isTokenRenewed || !(error instanceof CloudError && error.status === 401)) throw error;
        isTokenRenewed = true;
        return once();
      }
    });
  };
  return {
    open: (request) => repeat(request, () => authorized(request)),
    call: <Answer>(request: CloudRequest) =>
      repeat(request, async () => (await readJson(await authorized(request), request)) as Answer),
    close: () => connections.close(),
  };
}

/** Parses a JSON response. If it is truncated or invalid, throws a CloudError with an unknown outcome. */
async function readJson({ body }: CloudAnswer, request: CloudRequest): Promise<unknown> {
  try {
    const text = await readText(body);
    return text === "" ? undefined : JSON.parse(text);
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    throw unansweredError(nameOf(request), error as Error, true);
  }
}

/** Names a request in errors without its query and body, which may contain private data. */
function nameOf({ api, method, path }: CloudTransfer): string {
  return `${method} ${api}${path}`;
}

function pathOf({ path, query = {} }: CloudTransfer): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  return params.size === 0 ? path : `${path}?${params.toString()}`;
}

function bodyOf(
  body: unknown,
  headers: Record<string, string>,
): string | Uint8Array | ReadableStream<Uint8Array> | undefined {
  if (body instanceof ReadableStream) return body as ReadableStream<Uint8Array>;
  if (body instanceof Uint8Array) return body;
  if (body === undefined) return undefined;
  headers["content-type"] ??= "application/json";
  return JSON.stringify(body);
}
