import { forwardedHeader } from "../runtime/access/admission.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { createApplication } from "../runtime/create-application.ts";
import { guard } from "../runtime/guard.ts";
import type { LogSink } from "../runtime/observe/log.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import type { Request } from "../runtime/request.ts";
import { fail, refuse } from "../runtime/response/error.ts";
import { sendEmpty } from "../runtime/response/reply.ts";
import { serve, type RunningServer, type ServerTimes } from "../runtime/server.ts";
import { Forwarder } from "./forward.ts";
import type { ProcessOf } from "./listening.ts";

/** Where a request goes, or why it goes nowhere. */
export type Destination =
  /** `allow` are the methods of its path, where services other than this one answer some. */
  | { readonly service: string; readonly allow?: readonly string[] }
  | { readonly operator: (request: Request) => Promise<void> }
  | { readonly methods: readonly string[] }
  | { readonly status: 403 | 404; readonly message: string };

export interface FrontOptions extends Pick<HandlerOptions, "isOwnHost"> {
  readonly port: number;
  readonly host: string;
  readonly log: LogSink;
  readonly destinationOf: (request: Request) => Destination;
  readonly processOf: ProcessOf;
  /** A token that shows a service that this process hands a request on. */
  readonly tokenFor: (service: string) => string;
  /** As of `serve`. */
  readonly times?: Partial<ServerTimes>;
}

/** What a process has that answers nothing of an application itself. */
const nothing: Bundle = { app: "", match: () => -1, methods: [], endpoints: [], packages: [] };

/** The one port before all services: hands each request to the service that has its route. */
export async function openFront(options: FrontOptions): Promise<RunningServer> {
  const { port, host, isOwnHost, log, times, destinationOf, processOf, tokenFor } = options;
  const app = createApplication(nothing, { mode: "dev", log, ...(isOwnHost && { isOwnHost }) });
  const forwarder = new Forwarder(processOf, (service) => [forwardedHeader, tokenFor(service)]);
  const direct = (request: Request): void => {
    const destination = destinationOf(request);
    if ("methods" in destination) return sendEmpty(request, 204, ["Allow", destination.methods.join(", ")]);
    if ("status" in destination) return refuse(request, destination);
    request.res.once("close", () => request.finish());
    const work = "operator" in destination ? destination.operator(request) : forwarder.forward(request, destination);
    work.catch((error: unknown) => fail(request, error));
  };
  const server = await serve((req, res, expectsContinue) => guard(app, req, res, expectsContinue, direct), {
    port,
    host,
    ...(times && { times }),
  });
  const close = async (): Promise<void> => {
    await server.close();
    forwarder.close();
  };
  return { ...server, close };
}
