import { expect, test } from "vitest";
import type { Context } from "../../declare/context.ts";
import { Role } from "../../declare/role.ts";
import { tokens, type NewToken } from "../../declare/token.ts";
import { openAuthPlatform, bothProviders } from "../testing/auth-platform.ts";
import { apis, bundleOf, start } from "../testing/app.ts";
import { accountsOf } from "./users.ts";
import { Sessions } from "./sessions.ts";

const Editor = Role("editor");
const Admin = Role("admin");

/** Starts an application where ann, an editor and admin, creates tokens. */
async function tokensApp() {
  const { platform, log } = await openAuthPlatform();
  const auth = { ...bothProviders, tokens: true } as const;
  const accounts = accountsOf(platform, auth);
  const ann = await accounts.create({ email: "ann@example.com", name: "Ann" }, log);
  await accounts.setRoles(ann.id, ["admin", "editor"]);
  let next: Partial<NewToken> = {};
  const create = async (ctx: Context) =>
    (await tokens.create(ctx, ctx.user(), { name: "ci", expires: "1h", ...next })).secret;
  const bundle = { ...bundleOf(apis({ "POST /tokens": create, "GET /roles": (ctx) => ctx.user().roles })), auth };
  const app = await start(bundle, { platform });
  const session = await new Sessions(platform).create(ann.id, "email");
  const ask = async (method: string, path: string, credentials: Readonly<Record<string, string>>) => {
    const answer = await fetch(app.url + path, { method, headers: credentials });
    return answer.ok ? answer.json() : answer.status;
  };
  const bearer = (secret: unknown) => ({ Authorization: `Bearer ${String(secret)}` });
  return {
    cookie: { Cookie: `fw_session=${session?.id}` },
    bearer,
    create: (credentials: Readonly<Record<string, string>>, token: Partial<NewToken> = {}) => {
      next = token;
      return ask("POST", "/tokens", credentials);
    },
    rolesOf: (secret: unknown) => ask("GET", "/roles", bearer(secret)),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

test("a token that is limited to a role creates none that has another", async () => {
  await using app = await tokensApp();
  const all = await app.create(app.cookie);
  const editor = await app.create(app.cookie, { roles: [Editor, Editor] });
  expect([await app.rolesOf(all), await app.rolesOf(editor)]).toEqual([["admin", "editor"], ["editor"]]);
  const children = [{}, { roles: [Admin] }, { roles: [Admin, Editor] }, { roles: [] }];
  const roles = [];
  for (const child of children) roles.push(await app.rolesOf(await app.create(app.bearer(editor), child)));
  expect(roles).toEqual([["editor"], [], ["editor"], []]);
  expect(await app.rolesOf(await app.create(app.bearer(all), { roles: [Admin] }))).toEqual(["admin"]);
});

test("tokens create each other eight times in a row, and not a ninth time", async () => {
  await using app = await tokensApp();
  let secret = await app.create(app.cookie);
  for (let created = 0; created < 8; created++) secret = await app.create(app.bearer(secret));
  expect(await app.rolesOf(secret)).toEqual(["admin", "editor"]);
  expect(await app.create(app.bearer(secret))).toBe(403);
});

test("the name of a token has 1 to 100 characters, and its lifetime is 1 second to 100 years or endless", async () => {
  await using app = await tokensApp();
  const wrong = [
    { name: " " },
    { name: "x".repeat(101) },
    { expires: "999ms" },
    { expires: "36501d" },
    { expires: "soon" },
  ];
  const right = [{ name: "😀".repeat(100) }, { expires: "1s" }, { expires: "36500d" }, { expires: "never" }];
  const answers = [];
  for (const token of [...wrong, ...right]) answers.push(await app.create(app.cookie, token as Partial<NewToken>));
  expect(answers).toEqual([...wrong.map(() => 400), ...right.map(() => expect.stringMatching(/^fwt_/) as string)]);
});
