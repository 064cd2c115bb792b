import { cookieName, sessionCookie } from "../../lib/cookie-names.ts";
import type { App } from "../../model/app.ts";
import type { Authenticator } from "../../model/auth.ts";
import { allOfKind, hasSignIn } from "../../model/declarations.ts";
import { withDescription, type JsonSchema } from "./json-schema.ts";

const session: JsonSchema = {
  type: "apiKey",
  in: "cookie",
  name: cookieName(sessionCookie, true),
  description: `The session cookie, which POST /_fw/api/session sets; \`${cookieName(sessionCookie, false)}\` if the application is not served over https.`,
};

const token: JsonSchema = {
  type: "http",
  scheme: "bearer",
  description: "An access token, created for an account with auth.tokens.create.",
};

/** A kind of credential, with its name among the components. */
interface CredentialScheme {
  readonly name: string;
  readonly scheme: JsonSchema;
}

/** Returns the sets of credentials that identify a caller. One set is enough. */
export function credentialSets(app: Pick<App, "packages">): readonly (readonly CredentialScheme[])[] {
  const tokens = allOfKind(app.packages, "auth").some((auth) => auth.tokens);
  return [
    ...(hasSignIn(app) ? [[{ name: "session", scheme: session }]] : []),
    ...(tokens ? [[{ name: "token", scheme: token }]] : []),
    ...allOfKind(app.packages, "authenticator").flatMap(authenticatorSets),
  ];
}

/** Returns the required credentials of an authenticator as one set. If none is required, each optional one is a set. */
function authenticatorSets({
  declaration: { variable },
  request: { bound },
}: Authenticator): readonly (readonly CredentialScheme[])[] {
  const schemes = bound.map(({ property, source, wire, optional, list, doc }) => ({
    name: bound.length === 1 ? variable : `${variable}_${property}`,
    scheme: withDescription({ type: "apiKey", in: source, name: wire }, doc),
    needed: !optional && !list,
  }));
  const requiredSchemes = schemes.filter((scheme) => scheme.needed);
  return requiredSchemes.length > 0 ? [requiredSchemes] : schemes.map((scheme) => [scheme]);
}

export function schemesOf(app: Pick<App, "packages">): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(credentialSets(app).flatMap((way) => way.map(({ name, scheme }) => [name, scheme])));
}
