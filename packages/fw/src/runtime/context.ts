import type { Client, Context, HTMX, Logger } from "../declare/context.ts";
import { Fault } from "../declare/errors.ts";
import type { Host } from "../declare/host.ts";
import { HOST } from "../declare/slot.ts";
import type { User } from "../declare/user.ts";
import { noHTMX } from "./page/htmx.ts";

/** What contexts of the runtime have in common: declarations reach the host through them. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the getter below fills what is merged
export abstract class HostedContext {
  abstract readonly host: Host;
}

/** A class cannot name the slot, which is of another module. */
export interface HostedContext {
  readonly [HOST]: Host;
}

Object.defineProperty(HostedContext.prototype, HOST, {
  get(this: HostedContext): Host {
    return this.host;
  },
});

const nobody: Client = Object.freeze({ ip: "", userAgent: "" });

/** What contexts say of a visitor that no request has. */
export abstract class DetachedContext extends HostedContext {
  readonly client: Client = nobody;
  readonly isHTMX = false;
  readonly htmx: HTMX = noHTMX;
  readonly wantsFragment = false;
}

/** A context inside of another one, which says all that the inner one does not say itself. */
export abstract class InnerContext extends HostedContext implements Context {
  readonly outer: Context;

  constructor(outer: Context) {
    super();
    this.outer = outer;
  }

  get client(): Client {
    return this.outer.client;
  }

  get log(): Logger {
    return this.outer.log;
  }

  get isHTMX(): boolean {
    return this.outer.isHTMX;
  }

  get htmx(): HTMX {
    return this.outer.htmx;
  }

  get wantsFragment(): boolean {
    return this.outer.wantsFragment;
  }

  get origin(): string {
    return this.outer.origin;
  }

  get signal(): AbortSignal {
    return this.outer.signal;
  }

  get requestId(): string {
    return this.outer.requestId;
  }

  user(): User {
    return this.outer.user();
  }

  maybeUser(): User | undefined {
    return this.outer.maybeUser();
  }
}

/** Who is signed in. Throws a Fault where nobody is, on a route that lets everybody in. */
export function requireUser(ctx: Pick<Context, "maybeUser">, route: string): User {
  const user = ctx.maybeUser();
  if (user !== undefined) return user;
  throw new Fault(
    `${route} called ctx.user() where nobody is signed in: put signIn or allow on the route, or ask ctx.maybeUser()`,
  );
}
