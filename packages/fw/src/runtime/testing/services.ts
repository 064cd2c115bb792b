import { onTestFinished } from "vitest";
import { CallVerifier } from "../../platform/call-verifier.ts";
import { newTestCallKeys, type TestCallKeys } from "../../platform/testing/call-keys.ts";
import type { ServiceVerifier } from "../access/service-call.ts";
import { BackgroundContext } from "../background/context.ts";
import type { Bundle, BundledEndpoint, BundledRemote, RemoteRequest } from "../bundle.ts";
import type { ServiceDirectory } from "../remote/directory.ts";
import { bundleOf, start, type TestApp, type TestOptions } from "./app.ts";

/** The request of a test's call. By default, the path is the route's. */
export type SentRequest = Partial<RemoteRequest>;

/** Returns an endpoint as a calling service sees it. Requests must be in the wire format. */
export function remote(
  service: string,
  { declaration, kind, route, method }: BundledEndpoint,
  more: Partial<BundledRemote> = {},
): BundledRemote {
  return {
    declaration,
    kind: kind === "page" ? kind : "api",
    service,
    route,
    method,
    encode: (sent: SentRequest) => ({ path: route.slice(method.length + 1), ...sent }),
    decode: (value) => value,
    exactIntegers: false,
    ...more,
  };
}

interface ServiceParts extends TestOptions {
  readonly endpoints?: readonly BundledEndpoint[];
  readonly remotes?: readonly BundledRemote[];
  readonly bundle?: Partial<Bundle>;
}

/** Services that know one another, each on its own server. */
export class TestServices {
  /** The URL of each service. */
  readonly addresses: Map<string, string> = new Map();
  readonly #keys = new Map<string, TestCallKeys>();

  /** Creates a token for calls from `invoker` to `audience`, valid for a minute by default. */
  token(invoker: string, audience: string, expires: number = Date.now() + 60_000): string {
    return this.#keysOf(invoker).mint({ audience, invoker }, expires);
  }

  directory(invoker: string): ServiceDirectory {
    return {
      addressOf: (service) => this.addresses.get(service) ?? "",
      tokenFor: (service) => this.token(invoker, service),
    };
  }

  verifier(audience: string): ServiceVerifier {
    return {
      verify: (token) => {
        const known = [...this.#keys].map(([name, { publicKey }]) => [name, publicKey]);
        const opened = new CallVerifier(audience, Object.fromEntries(known)).open(token, Date.now());
        return "invoker" in opened ? opened.invoker : undefined;
      },
    };
  }

  #keysOf(invoker: string): TestCallKeys {
    const keys = this.#keys.get(invoker) ?? newTestCallKeys();
    this.#keys.set(invoker, keys);
    return keys;
  }

  /** Starts services for the current test. */
  async start(name: string, { endpoints = [], remotes = [], bundle, ...options }: ServiceParts): Promise<TestApp> {
    const app = await start(
      { ...bundleOf(endpoints), remotes, ...bundle },
      { callers: this.verifier(name), services: this.directory(name), ...options },
    );
    this.addresses.set(name, app.url);
    onTestFinished(() => app.close());
    return app;
  }

  /** Starts a service that only makes calls, without a signed-in user, to these endpoints of the service `orders`. */
  async caller(endpoints: readonly BundledEndpoint[], more: Partial<BundledRemote> = {}): Promise<Caller> {
    const app = await this.start("web", { remotes: endpoints.map((each) => remote("orders", each, more)) });
    return {
      app,
      call: async (sent = {}, signal = new AbortController().signal, deadline) => {
        const occasion = { tags: {}, id: "test", signal, ...(deadline !== undefined && { deadline }) };
        return endpoints[0]?.declaration.call(new BackgroundContext(app.app, occasion), sent as never);
      },
    };
  }
}

export interface Caller {
  readonly app: TestApp;
  /** Calls the first endpoint. */
  readonly call: (sent?: SentRequest, signal?: AbortSignal, deadline?: number) => Promise<unknown>;
}
