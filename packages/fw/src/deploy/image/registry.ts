import { text } from "node:stream/consumers";
import { CloudError, refusedError, unansweredError } from "../../platform/gcp/rest/cloud-error.ts";
import { Connections, NoResponse, type CloudAnswer } from "../../platform/gcp/rest/connections.ts";
import { readHosts, type Hosts } from "../../platform/gcp/rest/hosts.ts";
import { Retries } from "../../platform/gcp/rest/retry.ts";
import { registryUrl } from "./reference.ts";

/** How long a request may take until the registry responds, including the upload, in milliseconds. */
const answerMs = 600_000;

const maxRedirects = 5;

export interface RegistryRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns a new body for each attempt. */
  readonly body?: () => ReadableStream<Uint8Array> | Uint8Array;
}

interface RegistryParts {
  readonly connections: Connections;
  readonly hosts: Hosts;
  readonly retries: Retries;
  /** Returns an access token; absent for anonymous access. */
  readonly token?: (() => Promise<string>) | undefined;
}

/** A client for registries. A deploy's images share its uploads, so that each blob is sent once. */
export class Registries {
  readonly #parts: RegistryParts;
  readonly #anonymousTokens = new Map<string, string>();
  readonly uploads: Map<string, Promise<number>> = new Map();

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  /** Calls the registry's API; undefined if the resource does not exist. Rejects with a CloudError. */
  async ask(request: RegistryRequest): Promise<CloudAnswer | undefined> {
    const { retries } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await this.#authorized(request);
        retries.succeeded();
        return answer;
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
        if (error.status === 404 && request.method !== "PUT" && request.method !== "POST") return undefined;
        // Uploads can be repeated, because they are addressed by content.
        await retries.pause(error, attempt, performance.now(), { repeatable: true });
      }
    }
  }

  close(): Promise<void> {
    return this.#parts.connections.close();
  }

  async #authorized(request: RegistryRequest): Promise<CloudAnswer> {
    const { token } = this.#parts;
    const scope = `${request.url.host} ${request.url.pathname.replace(/\/(?:blobs|manifests)\/.*$/, "")}`;
    const bearer = token === undefined ? this.#anonymousTokens.get(scope) : await token();
    const answer = await this.#sendFollowingRedirects(request, bearer);
    if (answer.status !== 401 || token !== undefined || bearer !== undefined) return refuse(request, answer);
    answer.body.resume();
    const anonymousToken = await this.#anonymous(answer);
    this.#anonymousTokens.set(scope, anonymousToken);
    return refuse(request, await this.#sendFollowingRedirects(request, anonymousToken));
  }

  /** Follows redirects, for example to the storage of blobs; sends the token to the registry only. */
  async #sendFollowingRedirects(request: RegistryRequest, bearer: string | undefined): Promise<CloudAnswer> {
    let { url } = request;
    for (let redirects = 0; ; redirects++) {
      const isOwn = url.host === request.url.host;
      const answer = await this.#send({ ...request, url }, isOwn ? bearer : undefined);
      const { location } = answer.headers;
      if (![301, 302, 307, 308].includes(answer.status) || location === undefined || redirects === maxRedirects)
        return answer;
      answer.body.resume();
      url = new URL(location, url);
    }
  }

  async #send({ method, url, headers, body }: RegistryRequest, bearer: string | undefined): Promise<CloudAnswer> {
    const { connections, hosts } = this.#parts;
    const allHeaders = { ...headers, ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) };
    const target = hosts(new URL("/", url));
    const path = url.pathname + url.search;
    try {
      return await connections.send({ target, method, path, headers: allHeaders, body: body?.(), answerMs });
    } catch (error) {
      throw error instanceof NoResponse ? unansweredError(nameOf({ method, url }), error, error.wasSent) : error;
    }
  }

  /** Requests the anonymous token of a public registry. */
  async #anonymous({ headers }: CloudAnswer): Promise<string> {
    const challenge = headers["www-authenticate"] ?? "";
    const challengeParams = Object.fromEntries(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    if (!URL.canParse(challengeParams["realm"] ?? ""))
      throw new Error(`the registry requires a token but does not name a token server: ${challenge}`);
    const url = new URL(challengeParams["realm"] ?? "");
    for (const name of ["service", "scope"])
      if (challengeParams[name]) url.searchParams.set(name, challengeParams[name]);
    const request = { method: "GET", url } as const;
    const answer = await refuse(request, await this.#send(request, undefined));
    const { token, access_token: other } = JSON.parse(await text(answer.body)) as {
      token?: string;
      access_token?: string;
    };
    return token ?? other ?? "";
  }
}

/** Opens registries with the caller's token, if any. */
export function openRegistries(
  env: Readonly<Record<string, string | undefined>>,
  token?: () => Promise<string>,
  parts: Partial<RegistryParts> = {},
): Registries {
  return new Registries({
    connections: new Connections(),
    hosts: readHosts(env),
    retries: new Retries(),
    token,
    ...parts,
  });
}

export function partUrl(host: string, name: string, path: string): URL {
  return new URL(`${name}/${path}`, registryUrl(host));
}

async function refuse(request: Pick<RegistryRequest, "method" | "url">, answer: CloudAnswer): Promise<CloudAnswer> {
  if (answer.status < 400) return answer;
  const body = await text(answer.body).catch(() => "");
  throw refusedError(nameOf(request), { ...answer, text: toGoogleError(body) });
}

/** Converts a registry's error to the format of Google's other APIs. */
function toGoogleError(body: string): string {
  try {
    const [first] = (JSON.parse(body) as { errors?: readonly { code?: string; message?: string }[] }).errors ?? [];
    if (first === undefined) return body;
    return JSON.stringify({ error: { message: first.message, errors: [{ reason: first.code }] } });
  } catch {
    return body;
  }
}

function nameOf({ method, url }: Pick<RegistryRequest, "method" | "url">): string {
  return `${method} ${url.host}${url.pathname}`;
}
