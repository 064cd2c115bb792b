import { createHmac, timingSafeEqual } from "node:crypto";
import { Authenticator, Secret, type Header } from "fw";

/** The key that signs the tokens. */
export const JwtSecret = Secret("JWT_SECRET");

const header = encoded({ alg: "HS256", typ: "JWT" });

/** The lifetime of a token in seconds. */
const lifetime = 60 * 24 * 60 * 60;

/** Creates a token for the user with an id. */
export function tokenFor(person: string): string {
  const content = `${header}.${encoded({ sub: person, exp: now() + lifetime })}`;
  return `${content}.${signature(content)}`;
}

/** The credentials of a request: `Authorization: Token <JSON Web Token>`. */
export interface Credentials {
  authorization: Header;
}

/** Signs in the owner of a valid token, in both services. */
export const holders = Authenticator((_ctx, { authorization }: Credentials) => {
  const [, token = ""] = /^(?:Token|Bearer) ([\w.-]+)$/.exec(authorization) ?? [];
  const [head, body = "", signed = ""] = token.split(".");
  if (head !== header || !equal(signed, signature(`${head}.${body}`))) return undefined;
  const { sub, exp } = JSON.parse(Buffer.from(body, "base64url").toString()) as { sub: string; exp: number };
  return exp > now() ? { id: sub } : undefined;
});

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function signature(content: string): string {
  return createHmac("sha256", JwtSecret.value()).update(content).digest("base64url");
}

function equal(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
