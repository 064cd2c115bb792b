import type { Context } from "../declare/context.ts";
import { portsFor, type Lifetime, type Ports } from "../platform/lifetime.ts";
import { platformOf, type Application } from "./application.ts";
import { usesLive } from "./capabilities.ts";
import { HostedContext } from "./context.ts";
import { recordingPorts } from "./live/reads.ts";

/** Returns the lifetime of a context; undefined if it has none, and for contexts that are not fw's. */
export function lifetimeIn(ctx: Context): Lifetime | undefined {
  return ctx instanceof HostedContext ? ctx.lifetime : undefined;
}

/**
 * Returns the platform's ports, bound to the lifetime of a context. For a live page, the ports also record its reads.
 * Throws a Fault if there is no platform.
 */
export function portsOf(app: Pick<Application, "platform">, ctx: Context, purpose: string): Ports {
  const ports = portsFor(platformOf(app, purpose), lifetimeIn(ctx));
  return usesLive ? recordingPorts(ctx, ports) : ports;
}
