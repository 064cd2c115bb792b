import { isStatusError, StatusError } from "../../declare/errors.ts";
import { mayBeCrossOrigin } from "../access/cross-origin.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { sendRefusal, wantsHTML } from "../response/refusal.ts";
import type { InjectedEndpoint, InjectedEndpoints } from "../routing/injected-endpoint.ts";
import { beginSession } from "./begin-session.ts";
import { endSession, signOut } from "./end-session.ts";
import { bringsJSON } from "./fields.ts";
import { sendSignInPage } from "./sign-in-page.ts";

/** Where people sign in and out, in every application that declares Auth. */
export const signInEndpoints: InjectedEndpoints = {
  "api/session": {
    methods: ["DELETE", "POST"],
    handle: ofOwnPage((request) =>
      request.exchange.method === "DELETE" ? endSession(request) : beginSession(request),
    ),
  },
  "api/session/signout": { methods: ["POST"], handle: ofOwnPage(signOut) },
  signin: { methods: ["GET", "HEAD"], handle: (request) => sendSignInPage(request) },
};

/** Answers what the application's own pages and programs send, and refusals as what no cache keeps. */
function ofOwnPage(answer: (request: Request) => Promise<void>): InjectedEndpoint["handle"] {
  return async (request) => {
    try {
      requireOwnPage(request);
      await answer(request);
    } catch (error) {
      if (!isStatusError(error)) throw error;
      sendRefusal(request, error, bringsJSON(request) || !wantsHTML(request), "no-store");
    }
  };
}

/**
 * Refuses what a page of another site sends: it could sign its own account in here, or somebody out. A client that says
 * nothing of where it comes from is no browser, and is served. Throws a StatusError 403.
 */
function requireOwnPage({ exchange }: Request): void {
  if (mayBeCrossOrigin(exchange)) throw new StatusError(403, messages.crossSite);
}
