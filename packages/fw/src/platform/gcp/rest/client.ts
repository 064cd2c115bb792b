import { cloudAttemptMs } from "../../../lib/limits.ts";
import { CloudError, refusedError, unansweredError } from "./cloud-error.ts";
import { Unanswered, type CloudAnswer, type Connections } from "./connections.ts";
import type { Api, Endpoint } from "./endpoints.ts";
import type { CloudIdentity } from "./identity.ts";
import { Retries } from "./retry.ts";
import { wholeText } from "./whole-text.ts";

/** A call of an API of Google. */
export interface CloudRequest {
  readonly api: Api;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the API's base URL: begins with "/", and is percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** May be made again though it is not known whether it was carried out. True for GET where nothing is said. */
  readonly repeatable?: boolean;
  /** Further errors after which it may be made again. */
  readonly alsoRetry?: (error: CloudError) => boolean;
  /** Ends the call with its reason. Each attempt is bounded besides. */
  readonly signal?: AbortSignal;
  /** Once it has aborted the call is not made again. */
  readonly triesUntil?: AbortSignal;
}

/** A call whose body, or answer, is bytes. */
export interface CloudTransfer extends Omit<CloudRequest, "body"> {
  /** A stream is sent once; anything but a stream and bytes as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls APIs of Google as the process's own identity. */
export interface CloudClient {
  /** What the API answers, as JSON, within the time of an attempt; undefined where it answers with nothing. Rejects with a CloudError, or with the signal's reason. */
  call<Answer>(request: CloudRequest): Promise<Answer>;
  /** The head of the answer, and its body as it comes. Rejects as `call` does. */
  open(request: CloudTransfer): Promise<CloudAnswer>;
  close(): Promise<void>;
}

/** The client for calls of which none goes on, or none is made again, once a signal has aborted. */
export function clientUntil(
  client: CloudClient,
  until: { readonly signal: AbortSignal } | { readonly triesUntil: AbortSignal },
): CloudClient {
  const bounded = <Request extends CloudTransfer>(request: Request): Request => {
    const own = "signal" in until ? request.signal : undefined;
    return { ...request, ...until, ...(own && "signal" in until && { signal: AbortSignal.any([own, until.signal]) }) };
  };
  return {
    call: (request) => client.call(bounded(request)),
    open: (request) => client.open(bounded(request)),
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
  headers: all,
}: ClientParts): CloudClient {
  /** Sends once and takes any error of the answer for an error. */
  const attempt = async (request: CloudTransfer, headers: Record<string, string>): Promise<CloudAnswer> => {
    const { target } = endpointOf(request.api);
    const name = nameOf(request);
    const body = bodyOf(request.body, headers);
    const outgoing = { target, method: request.method, path: pathOf(request), headers, body, answerMs: cloudAttemptMs };
    const answer = await connections.send({ ...outgoing, signal: request.signal }).catch((error: unknown) => {
      throw error instanceof Unanswered ? unansweredError(name, error, error.sent) : error;
    });
    if (answer.status < 400) return answer;
    const said = await wholeText(answer.body).catch(() => "");
    throw refusedError(name, { ...answer, text: said });
  };

  const authorized = async (request: CloudTransfer): Promise<CloudAnswer> => {
    const token = endpointOf(request.api).emulated ? "owner" : await identity.accessToken();
    try {
      return await attempt(request, { ...all, ...request.headers, authorization: `Bearer ${token}` });
    } catch (error) {
      if (error instanceof CloudError && error.status === 401) identity.forgetAccessToken(token);
      throw error;
    }
  };

  const repeat = async <T>(request: CloudTransfer, once: () => Promise<T>): Promise<T> => {
    if (request.body instanceof ReadableStream) return once();
    let refused = false;
    return retries.repeat({ ...request, repeatable: request.repeatable ?? request.method === "GET" }, async () => {
      try {
        return await once();
      } catch (error) {
        // A token that was revoked is exchanged once.
        if (refused || !(error instanceof CloudError && error.status === 401)) throw error;
        refused = true;
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

/** An answer that breaks off, or that is no JSON, says nothing of what was done. */
async function readJson({ body }: CloudAnswer, request: CloudRequest): Promise<unknown> {
  try {
    const said = await wholeText(body);
    return said === "" ? undefined : JSON.parse(said);
  } catch (error) {
    if (request.signal?.aborted) throw request.signal.reason;
    throw unansweredError(nameOf(request), error as Error, true);
  }
}

/** What is said of a request in an error: no query and no body, which may hold what is nobody's business. */
function nameOf({ api, method, path }: CloudTransfer): string {
  return `${method} ${api}${path}`;
}

function pathOf({ path, query = {} }: CloudTransfer): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given.toString()}`;
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
