import type { Context } from "../declare/context.ts";
import { portsFor, type Lifetime, type Ports } from "../platform/lifetime.ts";
import { platformOf, type Application } from "./application.ts";
import { HostedContext } from "./context.ts";

/** How long somebody waits for what is asked with a context; one of another making does not say. */
export function lifetimeIn(ctx: Context): Lifetime | undefined {
  return ctx instanceof HostedContext ? ctx.lifetime : undefined;
}

/** What a handler may ask the platform for, for as long as somebody waits. Throws a Fault where there is no platform. */
export function portsOf(app: Pick<Application, "platform">, ctx: Context, purpose: string): Ports {
  return portsFor(platformOf(app, purpose), lifetimeIn(ctx));
}
