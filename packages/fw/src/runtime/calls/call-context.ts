import type { Client, Context, HTMX, Logger } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import type { Host } from "../../declare/host.ts";
import { HOST } from "../../declare/slot.ts";
import type { User } from "../../declare/user.ts";
import type { Application } from "../application.ts";
import { packageOf } from "../application.ts";
import type { Session } from "../auth/session.ts";
import { userOf } from "../auth/user.ts";
import type { BundledEndpoint } from "../bundle.ts";
import type { KnowsOrigin, Origin } from "./origin.ts";

/** What an endpoint is called with from another service's code. */
export interface CallContextParts {
  readonly app: Application;
  readonly endpoint: BundledEndpoint;
  /** The caller's. */
  readonly outer: Context;
  readonly origin: Origin;
  /** Who is signed in, as of now. */
  readonly session: Session | undefined;
}

/** The context of an endpoint that code of another service called in this process: the caller's visitor, and nothing else of the caller's. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the getter below fills what is merged
export class CallContext implements KnowsOrigin {
  readonly app: Application;
  readonly endpoint: BundledEndpoint;
  readonly session: Session | undefined;
  readonly #outer: Context;
  readonly #origin: Origin;
  #user: User | undefined = undefined;

  constructor({ app, endpoint, outer, origin, session }: CallContextParts) {
    this.app = app;
    this.endpoint = endpoint;
    this.session = session;
    this.#outer = outer;
    this.#origin = { ...origin, service: packageOf(app, endpoint)?.service, claim: session && origin.claim };
  }

  get client(): Client {
    return this.#outer.client;
  }

  get log(): Logger {
    return this.#outer.log;
  }

  get isHTMX(): boolean {
    return this.#outer.isHTMX;
  }

  get htmx(): HTMX {
    return this.#outer.htmx;
  }

  get wantsFragment(): boolean {
    return this.#outer.wantsFragment;
  }

  get origin(): string {
    return this.#outer.origin;
  }

  get signal(): AbortSignal {
    return this.#outer.signal;
  }

  get requestId(): string {
    return this.#outer.requestId;
  }

  user(): User {
    const user = this.maybeUser();
    if (user !== undefined) return user;
    throw new Fault(
      `${this.endpoint.route} called ctx.user() where nobody is signed in: put signIn or allow on the route, or ask ctx.maybeUser()`,
    );
  }

  maybeUser(): User | undefined {
    return (this.#user ??= this.session && userOf(this.session.identity));
  }

  callOrigin(): Origin {
    return this.#origin;
  }

  /** Keeps the application out of a logged context. */
  toJSON(): object {
    return { requestId: this.requestId, route: this.endpoint.route };
  }
}

/** Declarations reach the runtime through it; a class cannot name it, being of another module. */
export interface CallContext extends Context {
  readonly [HOST]: Host;
}

Object.defineProperty(CallContext.prototype, HOST, {
  get(this: CallContext): Host {
    return this.app.host;
  },
});
