import { cookieName, sessionCookie } from "../../lib/cookie-names.ts";
import type { App } from "../../model/app.ts";
import type { Authenticator } from "../../model/auth.ts";
import { allOfKind, hasSignIn } from "../../model/declarations.ts";
import { described, type JsonSchema } from "./json-schema.ts";

const session: JsonSchema = {
  type: "apiKey",
  in: "cookie",
  name: cookieName(sessionCookie, true),
  description: `The session's cookie, which POST /_fw/api/session sets; \`${cookieName(sessionCookie, false)}\` where the application is not served over https.`,
};

const token: JsonSchema = {
  type: "http",
  scheme: "bearer",
  description: "An access token, which auth.tokens.create made for an account.",
};

/** Something that a request shows who sends it with, by its name among the components. */
interface Scheme {
  readonly name: string;
  readonly scheme: JsonSchema;
}

/** The ways in which a request can show who sends it, each with all that it takes. */
export function waysIn(app: Pick<App, "packages">): readonly (readonly Scheme[])[] {
  const tokens = allOfKind(app.packages, "auth").some((auth) => auth.tokens);
  return [
    ...(hasSignIn(app) ? [[{ name: "session", scheme: session }]] : []),
    ...(tokens ? [[{ name: "token", scheme: token }]] : []),
    ...allOfKind(app.packages, "authenticator").flatMap(waysOf),
  ];
}

/** Of an authenticator all that it needs; of what is optional, where it needs nothing, each by itself. */
function waysOf({ declaration: { variable }, request: { bound } }: Authenticator): readonly (readonly Scheme[])[] {
  const schemes = bound.map(({ property, source, wire, optional, list, doc }) => ({
    name: bound.length === 1 ? variable : `${variable}_${property}`,
    scheme: described({ type: "apiKey", in: source, name: wire }, doc),
    needed: !optional && !list,
  }));
  const needed = schemes.filter((scheme) => scheme.needed);
  return needed.length > 0 ? [needed] : schemes.map((scheme) => [scheme]);
}

/** All that requests can show, by its name. */
export function schemesOf(app: Pick<App, "packages">): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(waysIn(app).flatMap((way) => way.map(({ name, scheme }) => [name, scheme])));
}
