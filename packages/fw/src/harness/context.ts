import { randomUUID } from "node:crypto";
import type { Context, Logger } from "../declare/context.ts";
import { Fault } from "../declare/errors.ts";
import type { Host } from "../declare/host.ts";
import type { User } from "../declare/user.ts";
import type { Application } from "../runtime/application.ts";
import { lifetimeOf, type Lifetime } from "../platform/lifetime.ts";
import { DetachedContext } from "../runtime/context.ts";
import { unknownOrigin, type HasOrigin, type Origin } from "../runtime/calls/origin.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";

export interface TestContextParts {
  readonly app: Application;
  readonly host: Host;
  readonly user: User | undefined;
  /** The id of the user's session, if known. */
  readonly session?: string | undefined;
  readonly signal: AbortSignal;
}

/** The context of a test's own calls, with or without a user. */
export class TestContext extends DetachedContext implements Context, HasOrigin {
  readonly log: Logger;
  readonly origin = "http://localhost";
  readonly signal: AbortSignal;
  readonly lifetime: Lifetime;
  readonly requestId: string = randomUUID();
  readonly #host: Host;
  readonly #user: User | undefined;
  readonly #session: string | undefined;

  constructor({ app, host, user, session, signal }: TestContextParts) {
    super();
    this.log = new TaggedLogger(app.log, { req: this.requestId });
    this.signal = signal;
    this.lifetime = lifetimeOf(signal);
    this.#host = host;
    this.#user = user;
    this.#session = session;
  }

  get host(): Host {
    return this.#host;
  }

  get user(): () => User {
    return () => {
      if (this.#user === undefined)
        throw new Fault("ctx.user() was called without a signed-in user: create the context with app.ctx(user)");
      return this.#user;
    };
  }

  get maybeUser(): () => User | undefined {
    return () => this.#user;
  }

  callOrigin(): Origin {
    return {
      ...unknownOrigin(),
      claim: this.#session === undefined ? undefined : { by: "session", id: this.#session },
    };
  }
}
