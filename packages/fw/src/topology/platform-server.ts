import { stackOf } from "../lib/thrown.ts";
import type { Accounts } from "../platform/accounts.ts";
import { CallVerifier } from "../platform/call-verifier.ts";
import type { Definitions } from "../platform/contract.ts";
import { operatorIdentity, platformIdentity } from "../platform/loopback/protocol.ts";
import { serveLoopback, urlBuiltWith, type Loopback } from "../platform/loopback/server.ts";
import { withMethods } from "../platform/with-methods.ts";
import { isTestUser, testUserWithRoles } from "../runtime/auth/test-users.ts";
import { nodeObjectsOf } from "../runtime/exchange/node/node-exchange.ts";
import { guardedHandler } from "../runtime/guarded-handler.ts";
import { lineSink, readableLine } from "../runtime/observe/log-line.ts";
import { serve } from "../runtime/server.ts";
import type { Identities } from "./identities.ts";
import type { BuiltPlatform, ServedPlatform } from "./served-platform.ts";
import type { ServiceGroup } from "./service-group.ts";

interface PlatformServerOptions {
  readonly platform: ServedPlatform;
  readonly identities: Pick<Identities, "publicKeysOf">;
  readonly group: () => Pick<ServiceGroup, "deploys" | "grantsOf" | "names">;
  /** The public key of the operator, who may access everything; absent in development, which has test users instead. */
  readonly operatorKey: string | undefined;
  readonly line: (line: string) => void;
}

/** Serves the platform to the processes of the services. Each process uses the definitions of its own deploy. */
export class PlatformServer {
  readonly #options: PlatformServerOptions;
  readonly #callers = new CallVerifier(platformIdentity, {});
  /** The platform of each deploy. While old code runs, its queries use its own definitions. */
  readonly #platforms = new Map<number, BuiltPlatform>();
  #deploys = 0;
  #loopback: Loopback | undefined;

  constructor(options: PlatformServerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { platform, group, line } = this.#options;
    const own = this.#asServed(platform);
    this.#loopback = await serveLoopback(own, {
      platformOf: (service, definitions) => {
        if (service === operatorIdentity && definitions === undefined) return own;
        const built = this.#platforms.get(definitions === undefined ? this.#deploys : Number(definitions));
        return built?.as?.(service) ?? built;
      },
      listen: (answer) =>
        serve(
          guardedHandler({ log: lineSink(readableLine, line) }, ({ exchange }) => {
            const { req, res } = nodeObjectsOf(exchange);
            return answer(req, res);
          }),
          {
            port: 0,
            host: "127.0.0.1",
            // Connections live as long as their processes, and handlers have no time limit.
            times: { keepAliveMs: 0, bodyMs: Infinity, stalledMs: Infinity },
          },
        ),
      callers: this.#callers,
      grants: (service) => (service === operatorIdentity ? undefined : group().grantsOf(service)),
      log: (sentence, error) => line(error === undefined ? sentence : `${sentence}: ${stackOf(error)}`),
    });
  }

  async close(): Promise<void> {
    await this.#loopback?.close();
  }

  /** The platform's origin; empty until it is served. */
  get url(): string {
    return this.#loopback?.url ?? "";
  }

  urlOf(deploy: number): string {
    return urlBuiltWith(this.url, String(deploy));
  }

  /** Registers a deploy and returns its number. Its processes use the platform with these definitions. */
  openDeploy(definitions: Definitions): number {
    const { platform, group } = this.#options;
    const { deploys } = group();
    for (const number of this.#platforms.keys()) if (!deploys.has(number)) this.#platforms.delete(number);
    this.#platforms.set(++this.#deploys, this.#asServed(platform.builtWith(definitions)));
    return this.#deploys;
  }

  /** Accepts calls from `services` and from services that still run. */
  trust(services: readonly string[]): void {
    const { identities, group, operatorKey } = this.#options;
    this.#callers.trust({
      ...identities.publicKeysOf([...group().names, ...services]),
      ...(operatorKey !== undefined && { [operatorIdentity]: operatorKey }),
    });
  }

  #asServed(platform: BuiltPlatform): BuiltPlatform {
    return this.#options.operatorKey === undefined ? withTestUsers(platform) : platform;
  }
}

/** Adds `testUser` to a platform's accounts, so that services need not create the accounts of test users. */
function withTestUsers(platform: BuiltPlatform): BuiltPlatform {
  const testUser: NonNullable<Accounts["testUser"]> = async (name, roles) =>
    isTestUser(name) ? testUserWithRoles(platform, name, roles) : undefined;
  return { ...platform, accounts: withMethods(platform.accounts, { testUser }) };
}
