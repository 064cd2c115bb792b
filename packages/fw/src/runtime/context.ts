import type { Client, Context, HTMX } from "../declare/context.ts";
import type { Host } from "../declare/host.ts";
import { HOST } from "../declare/slot.ts";
import type { User } from "../declare/user.ts";
import type { Lifetime } from "../platform/lifetime.ts";
import { noHTMX } from "./page/htmx.ts";

/** What contexts of the runtime have in common: declarations reach the host through them. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the getter below fills what is merged
export abstract class HostedContext {
  abstract readonly host: Host;
  /** How long somebody waits for what a platform is asked in its name. */
  abstract readonly lifetime: Lifetime | undefined;
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

/** What a context inside of another one does not say itself. */
const said = ["client", "log", "isHTMX", "htmx", "wantsFragment", "origin", "signal", "requestId"] as const;

/** A context inside of another one, which says all that the inner one does not say itself. */
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

export interface InnerContext extends Pick<Context, (typeof said)[number]> {}

for (const name of said) {
  Object.defineProperty(InnerContext.prototype, name, {
    get(this: InnerContext) {
      return this.outer[name];
    },
  });
}
