import { text } from "node:stream/consumers";
import { CloudError, refusedError, unansweredError } from "../../platform/gcp/rest/cloud-error.ts";
import { Connections, NoResponse, type CloudAnswer } from "../../platform/gcp/rest/connections.ts";
import { readHosts, type Hosts } from "../../platform/gcp/rest/hosts.ts";
import { Retries } from "../../platform/gcp/rest/retry.ts";
import { registryUrl } from "./reference.ts";

/** Milliseconds until a registry begins to answer, with what it is sent on its way. */
const answerMs = 600_000;

/** How often a registry may lead elsewhere. */
const mostRedirects = 5;

export interface RegistryRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Opened for each attempt. */
  readonly body?: () => ReadableStream<Uint8Array> | Uint8Array;
}

interface RegistryParts {
  readonly connections: Connections;
  readonly hosts: Hosts;
  readonly retries: Retries;
  /** What proves who asks, where the registry is not for everybody. */
  readonly token?: (() => Promise<string>) | undefined;
}

/** What uploads to a registry share: one blob is sent once, though several images of a deployment have it. */
export class Registries {
  readonly #parts: RegistryParts;
  /** What a registry has given to who has no token of his own, by host and scope. */
  readonly #given = new Map<string, string>();
  readonly uploads: Map<string, Promise<number>> = new Map();

  constructor(parts: RegistryParts) {
    this.#parts = parts;
  }

  /** A request of a registry's API; undefined where it has not what is asked for. Rejects with a CloudError. */
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
        // What is put is named by its content: it may be put twice.
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
    const bearer = token === undefined ? this.#given.get(scope) : await token();
    const answer = await this.#followed(request, bearer);
    if (answer.status !== 401 || token !== undefined || bearer !== undefined) return refuse(request, answer);
    answer.body.resume();
    const given = await this.#anonymous(answer);
    this.#given.set(scope, given);
    return refuse(request, await this.#followed(request, given));
  }

  /** Follows where the registry leads, as it does to where the bytes are; the token is for the registry alone. */
  async #followed(request: RegistryRequest, bearer: string | undefined): Promise<CloudAnswer> {
    let { url } = request;
    for (let redirects = 0; ; redirects++) {
      const isOwn = url.host === request.url.host;
      const answer = await this.#send({ ...request, url }, isOwn ? bearer : undefined);
      const { location } = answer.headers;
      if (![301, 302, 307, 308].includes(answer.status) || location === undefined || redirects === mostRedirects)
        return answer;
      answer.body.resume();
      url = new URL(location, url);
    }
  }

  async #send({ method, url, headers, body }: RegistryRequest, bearer: string | undefined): Promise<CloudAnswer> {
    const { connections, hosts } = this.#parts;
    const given = { ...headers, ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) };
    const target = hosts(new URL("/", url));
    const path = url.pathname + url.search;
    try {
      return await connections.send({ target, method, path, headers: given, body: body?.(), answerMs });
    } catch (error) {
      throw error instanceof NoResponse ? unansweredError(nameOf({ method, url }), error, error.wasSent) : error;
    }
  }

  /** The token that a public registry gives to everybody. */
  async #anonymous({ headers }: CloudAnswer): Promise<string> {
    const challenge = headers["www-authenticate"] ?? "";
    const said = Object.fromEntries(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    if (!URL.canParse(said["realm"] ?? ""))
      throw new Error(`a registry asks for a token and does not say where one is: ${challenge}`);
    const url = new URL(said["realm"] ?? "");
    for (const name of ["service", "scope"]) if (said[name]) url.searchParams.set(name, said[name]);
    const request = { method: "GET", url } as const;
    const answer = await refuse(request, await this.#send(request, undefined));
    const { token, access_token: other } = JSON.parse(await text(answer.body)) as {
      token?: string;
      access_token?: string;
    };
    return token ?? other ?? "";
  }
}

/** Registries as a process reaches them. With a token they are asked as whoever it is of. */
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

/** The address of something that an image has. */
export function partUrl(host: string, name: string, path: string): URL {
  return new URL(`${name}/${path}`, registryUrl(host));
}

async function refuse(request: Pick<RegistryRequest, "method" | "url">, answer: CloudAnswer): Promise<CloudAnswer> {
  if (answer.status < 400) return answer;
  const said = await text(answer.body).catch(() => "");
  throw refusedError(nameOf(request), { ...answer, text: plain(said) });
}

/** What a registry says, in the form that Google's other APIs give it. */
function plain(said: string): string {
  try {
    const [first] = (JSON.parse(said) as { errors?: readonly { code?: string; message?: string }[] }).errors ?? [];
    if (first === undefined) return said;
    return JSON.stringify({ error: { message: first.message, errors: [{ reason: first.code }] } });
  } catch {
    return said;
  }
}

function nameOf({ method, url }: Pick<RegistryRequest, "method" | "url">): string {
  return `${method} ${url.host}${url.pathname}`;
}
