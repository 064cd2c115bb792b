import { isStatusError, StatusError } from "../../declare/errors.ts";
import { mayBeCrossOrigin } from "../access/cross-origin.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { refusalOf, sendRefusal, wantsHTML } from "../response/refusal.ts";
import type { InjectedEndpoint } from "../routing/injected-endpoint.ts";
import { hasJSONBody } from "./fields.ts";

/**
 * Wraps an endpoint so that only programs and the application's own pages can change data. Other sites can only link to
 * it. Refusals are not cacheable.
 */
export function forOwnPage(answer: (request: Request, rest: string) => Promise<void>): InjectedEndpoint["handle"] {
  return async (request, rest) => {
    try {
      if (request.exchange.method !== "GET" && request.exchange.method !== "HEAD") requireOwnPage(request);
      await answer(request, rest);
    } catch (error) {
      if (!isStatusError(error)) throw error;
      sendRefusal(request, refusalOf(error) ?? error, hasJSONBody(request) || !wantsHTML(request), "no-store");
    }
  };
}

/**
 * Throws a 403 for requests from other sites' pages, which could sign the user out or in to a different account.
 * Clients that send no origin are not browsers and are admitted.
 */
function requireOwnPage({ exchange }: Request): void {
  if (mayBeCrossOrigin(exchange)) throw new StatusError(403, messages.crossSite);
}
