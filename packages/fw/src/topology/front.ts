import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hostNameOf } from "../lib/host-name.ts";
import { messages } from "../runtime/messages.ts";
import { forward } from "./forward.ts";
import type { ProcessOf } from "./listening.ts";
import { refuse } from "./refuse.ts";

/** Where a request goes, or why it goes nowhere. */
export type Destination =
  | { readonly service: string }
  | { readonly operator: (req: IncomingMessage, res: ServerResponse) => Promise<void> }
  | { readonly status: 403 | 404; readonly message: string };

export interface Front {
  readonly port: number;
  close(): Promise<void>;
}

export interface FrontOptions {
  readonly port: number;
  readonly host: string;
  readonly isOwnHost: (header: string | undefined) => boolean;
  /** `path` is the request's without its query. */
  readonly destinationOf: (req: IncomingMessage, path: string) => Destination;
  readonly processOf: ProcessOf;
}

/** The one port before all services: hands each request to the service that has its route. */
export async function openFront(options: FrontOptions): Promise<Front> {
  const { port, host, isOwnHost, destinationOf, processOf } = options;
  const server = createServer((req, res) => {
    const named = req.headers.host;
    if (!isOwnHost(named)) return refuse(res, 403, messages.foreignHost(hostNameOf(named)));
    const destination = destinationOf(req, pathOf(req));
    if ("service" in destination) void forward(req, res, destination.service, processOf);
    else if ("operator" in destination) void destination.operator(req, res);
    else refuse(res, destination.status, destination.message);
  });
  await listen(server, port, host);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

function pathOf({ url = "/" }: IncomingMessage): string {
  const question = url.indexOf("?");
  return question === -1 ? url : url.slice(0, question);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
