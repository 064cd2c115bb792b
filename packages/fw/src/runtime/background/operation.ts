import type { InjectedEndpoint } from "../routing/injected-endpoint.ts";
import { sendText } from "../response/send.ts";
import type { Request } from "../request.ts";
import { requirePlatform } from "./authenticate-platform.ts";

/** Creates an endpoint for operators' commands, which responds with the result of `work` as JSON. */
export function operation(work: (request: Request, rest: string) => Promise<unknown>): InjectedEndpoint {
  return {
    methods: ["POST"],
    async handle(request, rest) {
      const { app, exchange, requestId } = request;
      await requirePlatform(exchange, app.caller, app.log, { handler: `operate ${rest}`, requestId });
      const answer = JSON.stringify((await work(request, rest)) ?? null);
      sendText(request, 200, "application/json", ["Cache-Control", "no-store"], answer);
    },
  };
}
