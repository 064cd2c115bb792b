import type { InjectedEndpoints } from "../routing/injected.ts";
import { beginSession } from "./begin-session.ts";
import { endSession, signOut } from "./end-session.ts";
import { sendSignInPage } from "./sign-in-page.ts";

/** Where people sign in and out, in every application that declares Auth. */
export const signInEndpoints: InjectedEndpoints = {
  "api/session": {
    methods: ["DELETE", "POST"],
    handle: (request) => (request.exchange.method === "DELETE" ? endSession(request) : beginSession(request)),
  },
  "api/session/signout": { methods: ["POST"], handle: signOut },
  signin: { methods: ["GET", "HEAD"], handle: (request) => sendSignInPage(request) },
};
