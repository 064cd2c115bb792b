import { createHmac } from "node:crypto";

/** An application with account pages, whose worker stores mails instead of sending them. */
export const club: string = String.raw`
-- people/people.ts --
import { API, Auth, Page, Site } from "fw";
export const auth = Auth({ password: true, tokens: true, account: true, signUp: true });
export const site = Site("./public");
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html", { email: ctx.maybeUser()?.email }));
export const me = API("GET /me", (ctx) => ({ email: ctx.user().email, emailVerified: ctx.user().emailVerified }), { signIn: true });
export interface NewAccount { email: string; password: string }
export const create = API("POST /accounts", async (ctx, req: NewAccount) => ({ id: (await auth.users.create(ctx, req)).id }));
-- people/public/templates/layout.html --
<!doctype html><html lang="en"><head><title>Club</title></head><body><main>{{content}}</main></body></html>
-- people/public/templates/home.html --
<h1>Club</h1>{{#if email}}<p id="who">{{email}}</p>{{/if}}
-- mailer/mailer.ts --
import { API, Entity, Subscribe, type ID, type Query } from "fw";
import { auth } from "../people/people.ts";
export interface Sent { id: ID; to: string; purpose: string; path: string; expires: string }
export const sent = Entity<Sent>("sent");
export const sendMail = Subscribe(auth.mail, async (ctx, { to, purpose, path, expires }, { id }) => {
  await sent.put(ctx, { id, to, purpose, path, expires: expires?.toISOString() ?? "" });
});
export const mails = API("GET /mails", (ctx): Promise<Sent[]> => sent.query().all(ctx));
-- desk/desk.ts --
import { API } from "fw";
export const desk = API("GET /desk", (ctx) => ({ email: ctx.user().email }), { signIn: true });
`;

/** A mail stored by the club's worker. */
export interface StoredMail {
  readonly to: string;
  readonly purpose: string;
  readonly path: string;
  readonly expires: string;
}

/** Returns the TOTP code that an authenticator app shows at a time for a manually entered key. */
export function codeOfKey(key: string, milliseconds: number): string {
  const bits = Array.from(key.replaceAll(" ", ""), (letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  ).join("");
  const bytes = Array.from(bits.matchAll(/[01]{8}/g), ([byte]) => Number.parseInt(byte, 2));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(milliseconds / 30_000)));
  const mac = createHmac("sha1", Buffer.from(bytes)).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) % 16) % 2 ** 31;
  return String(number % 1_000_000).padStart(6, "0");
}
