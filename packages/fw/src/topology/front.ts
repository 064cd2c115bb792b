import { guardedHandler } from "../runtime/guarded-handler.ts";
import type { LogSink } from "../runtime/observe/log.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import type { Request } from "../runtime/request.ts";
import { refuse } from "../runtime/response/error.ts";
import { sendEmpty } from "../runtime/response/send.ts";
import { serve, type Listens, type RunningServer, type ServerTimes } from "../runtime/server.ts";
import type { ForwardedTo, Forwards } from "./forwarding.ts";

/** The destination of a request, or the reason why there is none. */
export type RouteTarget =
  /** `allow` lists the methods of the path if several services handle them. */
  | { readonly service: string; readonly allow?: readonly string[] }
  | { readonly admin: (request: Request) => Promise<void> }
  | { readonly methods: readonly string[] }
  | { readonly status: 400 | 403 | 404; readonly message: string };

export interface FrontOptions extends Pick<HandlerOptions, "isOwnHost"> {
  readonly listens: Listens;
  readonly log: LogSink;
  readonly targetOf: (request: Request) => RouteTarget;
  /** Closes with the front. */
  readonly forwarder: Forwards;
  /** Prepares a request before it is forwarded. */
  readonly prepare?: (request: Request, to: ForwardedTo) => Promise<ForwardedTo>;
  readonly times?: Partial<ServerTimes>;
}

/**
 * Opens the port in front of all services. Forwards each request to its service, or responds itself if `targetOf` names
 * none.
 */
export async function openFront(options: FrontOptions): Promise<RunningServer> {
  const { listens, isOwnHost, log, times, targetOf, forwarder, prepare } = options;
  const handler = guardedHandler({ log, ...(isOwnHost && { isOwnHost }) }, (request) => {
    const target = targetOf(request);
    if ("methods" in target) return sendEmpty(request, 204, ["Allow", target.methods.join(", ")]);
    if ("status" in target) return refuse(request, target);
    if ("admin" in target) return target.admin(request);
    return prepare === undefined
      ? forwarder.forward(request, target)
      : prepare(request, target).then((to) => forwarder.forward(request, to));
  });
  const server = await serve(handler, { ...listens, ...(times && { times }) });
  const close = async (): Promise<void> => {
    await server.close();
    forwarder.close();
  };
  return { ...server, close };
}
