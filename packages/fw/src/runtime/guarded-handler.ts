import type { Bundle } from "./bundle.ts";
import { createApplication } from "./create-application.ts";
import { guard } from "./guard.ts";
import type { Handler } from "./handler.ts";
import type { HandlerOptions } from "./options.ts";
import type { Request } from "./request.ts";
import { fail } from "./response/error.ts";
import { settings } from "./settings.ts";

/** The bundle of a process that serves no application. */
const nothing: Bundle = { app: "", match: () => -1, methods: [], endpoints: [], packages: [] };

/** Creates a handler for a process that serves no application. Requests that pass the guard go to `answer`. */
export function guardedHandler(
  options: Pick<HandlerOptions, "isOwnHost" | "log">,
  answer: (request: Request) => void | Promise<void>,
): Handler {
  const app = createApplication(nothing, { settings: settings.dev, ...options });
  const answered = (request: Request): void => {
    request.exchange.onceOver(() => request.finish());
    Promise.resolve(answer(request)).catch((error: unknown) => fail(request, error));
  };
  return (exchange) => guard(app, exchange, answered);
}
