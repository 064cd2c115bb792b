import type { Context } from "../../declare/context.ts";
import type { Host } from "../../declare/host.ts";
import type { User } from "../../declare/user.ts";
import { type Application, packageOf } from "../application.ts";
import type { Session } from "../auth/sessions.ts";
import { userOf, requireUser } from "../auth/user.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { InnerContext } from "../context.ts";
import type { HasOrigin, Origin } from "./origin.ts";

export interface CallContextParts {
  readonly app: Application;
  readonly endpoint: BundledEndpoint;
  readonly outer: Context;
  readonly origin: Origin;
  readonly session: Session | undefined;
}

/**
 * The context of an endpoint that code in this process calls. It inherits the outer context's client, log and signal,
 * but not its user, transaction or tenant.
 */
export class CallContext extends InnerContext implements HasOrigin {
  readonly app: Application;
  readonly endpoint: BundledEndpoint;
  readonly session: Session | undefined;
  readonly #origin: Origin;
  #user: User | undefined = undefined;

  constructor({ app, endpoint, outer, origin, session }: CallContextParts) {
    super(outer);
    this.app = app;
    this.endpoint = endpoint;
    this.session = session;
    this.#origin = { ...origin, service: packageOf(app, endpoint)?.service, claim: session && origin.claim };
  }

  get host(): Host {
    return this.app.host;
  }

  override get user(): () => User {
    return () => requireUser(this, this.endpoint.route);
  }

  override get maybeUser(): () => User | undefined {
    return () => (this.#user ??= this.session && userOf(this.session.identity));
  }

  callOrigin(): Origin {
    return this.#origin;
  }

  /** Keeps the application out of a logged context. */
  toJSON(): object {
    return { requestId: this.requestId, route: this.endpoint.route };
  }
}
