import { randomUUID } from "node:crypto";
import type { Client, Context, HTMX, Logger } from "../declare/context.ts";
import { Fault } from "../declare/errors.ts";
import type { Host } from "../declare/host.ts";
import { HOST } from "../declare/slot.ts";
import type { User } from "../declare/user.ts";
import type { Application } from "../runtime/application.ts";
import type { KnowsOrigin, Origin } from "../runtime/calls/origin.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import { newTrace } from "../runtime/observe/trace.ts";
import { noHTMX } from "../runtime/page/htmx.ts";

const nobody: Client = Object.freeze({ ip: "", userAgent: "" });

/** What a test calls its application's operations with. */
export interface TestContextParts {
  readonly app: Application;
  readonly host: Host;
  readonly user: User | undefined;
  /** The id of their session, once it is known. */
  readonly session?: string | undefined;
  readonly signal: AbortSignal;
}

/** The context of a call that no request makes, for somebody or for nobody. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the property below fills what is merged
export class TestContext implements KnowsOrigin {
  readonly client: Client = nobody;
  readonly log: Logger;
  readonly isHTMX = false;
  readonly htmx: HTMX = noHTMX;
  readonly wantsFragment = false;
  readonly origin = "http://localhost";
  readonly signal: AbortSignal;
  readonly requestId: string = randomUUID();
  readonly #user: User | undefined;
  readonly #session: string | undefined;

  constructor({ app, host, user, session, signal }: TestContextParts) {
    this.log = new TaggedLogger(app.log, { req: this.requestId });
    this.signal = signal;
    Object.defineProperty(this, HOST, { value: host });
    this.#user = user;
    this.#session = session;
  }

  user(): User {
    if (this.#user === undefined) throw new Fault("ctx.user() was called where nobody is signed in");
    return this.#user;
  }

  maybeUser(): User | undefined {
    return this.#user;
  }

  callOrigin(): Origin {
    return {
      service: undefined,
      trace: newTrace(),
      claim: this.#session === undefined ? undefined : { by: "session", id: this.#session },
      deadline: undefined,
      htmx: undefined,
    };
  }
}

/** Declarations reach the runtime through it; a class cannot name it, being of another module. */
export interface TestContext extends Context {
  readonly [HOST]: Host;
}
