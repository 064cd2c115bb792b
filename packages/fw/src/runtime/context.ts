import type { Client, Context, HTMX } from "../declare/context.ts";
import type { Host } from "../declare/host.ts";
import { HOST, hosted } from "../declare/slot.ts";
import type { TenantHost } from "../declare/tenant.ts";
import type { User } from "../declare/user.ts";
import type { Lifetime } from "../platform/lifetime.ts";
import { usesTenants } from "./capabilities.ts";
import { noHTMX } from "./page/htmx.ts";

/** The base class of runtime contexts, through which declarations reach the host. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the getter below fills what is merged
export abstract class HostedContext {
  abstract readonly host: Host;
  /** Ends when the results of the context's platform operations are no longer needed. */
  abstract readonly lifetime: Lifetime | undefined;

  /** Returns a bound function, so that `({ now }) => now()` works. */
  get now(): () => Date {
    return () => this.host.now();
  }
}

/** Declares the `HOST` member, which the class itself cannot declare because the symbol is from another module. */
export interface HostedContext {
  readonly [HOST]: Host;
  readonly tenant: Context["tenant"];
}

Object.defineProperty(HostedContext.prototype, HOST, {
  get(this: HostedContext): Host {
    return this.host;
  },
});

if (usesTenants) {
  Object.defineProperty(HostedContext.prototype, "tenant", {
    get(this: HostedContext & Context): Context["tenant"] {
      return (tenants) => hosted<TenantHost>(this).tenants.current(this, tenants as never) as never;
    },
  });
}

const noClient: Client = Object.freeze({ ip: "", userAgent: "" });

/** The members of a context without a request. */
export abstract class DetachedContext extends HostedContext {
  readonly client: Client = noClient;
  readonly isHTMX = false;
  readonly htmx: HTMX = noHTMX;
  readonly wantsFragment = false;
}

/** The members that an inner context inherits from its outer context. */
const inheritedMembers = ["client", "log", "isHTMX", "htmx", "wantsFragment", "origin", "signal", "requestId"] as const;

/** A context inside another one. It inherits every member that it does not define itself. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the getters below fill what is merged
export abstract class InnerContext extends HostedContext implements Context {
  readonly outer: Context;

  constructor(outer: Context) {
    super();
    this.outer = outer;
  }

  get lifetime(): Lifetime | undefined {
    return this.outer instanceof HostedContext ? this.outer.lifetime : undefined;
  }

  get user(): () => User {
    const { outer } = this;
    return () => outer.user();
  }

  get maybeUser(): () => User | undefined {
    const { outer } = this;
    return () => outer.maybeUser();
  }
}

export interface InnerContext extends Pick<Context, (typeof inheritedMembers)[number]> {}

for (const name of inheritedMembers) {
  Object.defineProperty(InnerContext.prototype, name, {
    get(this: InnerContext) {
      return this.outer[name];
    },
  });
}

/** A context inside a transaction or a tenant, with the host of the outer context. */
export abstract class ScopedContext extends InnerContext {
  get host(): Host {
    return hosted(this.outer);
  }

  toJSON(): unknown {
    return this.outer;
  }
}
