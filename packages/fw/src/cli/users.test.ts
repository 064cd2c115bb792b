import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeApp } from "../analysis/testing/app.ts";
import { sessionMs } from "../lib/limits.ts";
import { openLocal, type LocalPlatform } from "../platform/local/open.ts";
import { Sessions } from "../runtime/auth/sessions.ts";
import { definitionsOf } from "../runtime/index.ts";
import { fw, fwWith, type Ran } from "./testing/run.ts";

const source = `-- package.json --
{ "name": "shop", "type": "module" }
-- shop/auth.ts --
import { Auth, Role } from "fw";
export const auth = Auth({ password: true });
export const Editor = Role("editor");
export const Admin = Role("admin");
`;

interface Shop {
  readonly root: string;
  readonly users: (...argv: string[]) => Promise<Ran>;
}

async function shop(text: string = source): Promise<Shop> {
  const app = await writeApp(text);
  onTestFinished(() => app[Symbol.asyncDispose]());
  return { root: app.root, users: (...argv) => fw(app.root, "users", ...argv) };
}

test("fw users create makes an account, and fw users list shows every account and its roles", async () => {
  const { users } = await shop();
  expect(await users("list")).toEqual({ code: 0, out: "there are no accounts\n", err: "" });
  const created = await users("create", "Ada@example.com", "--name", "Ada", "--role", "editor");
  expect(created).toEqual({ code: 0, out: "Ada@example.com has an account\n", err: "" });
  await users("create", "bo@example.com");
  expect((await users("list")).out.split("\n")).toEqual([
    expect.stringMatching(/^Ada@example\.com +Ada +editor$/),
    expect.stringMatching(/^bo@example\.com +- +-$/),
    "",
  ]);
});

test("fw users show shows one account, whatever the case of its address", async () => {
  const { users } = await shop();
  await users("create", "ada@example.com", "--name", "Ada");
  const { code, out } = await users("show", "ADA@example.com");
  expect(code).toBe(0);
  expect(out).toMatch(/^email +ada@example\.com$/m);
  expect(out).toMatch(/^name +Ada$/m);
  expect(out).toMatch(/^state +enabled$/m);
  const data = JSON.parse((await users("show", "ada@example.com", "--json")).out) as object;
  expect(data).toMatchObject({ email: "ada@example.com", name: "Ada", roles: [], disabled: false });
});

test("fw users grant and revoke change the roles of an account", async () => {
  const { users } = await shop();
  await users("create", "ada@example.com");
  expect((await users("grant", "ada@example.com", "admin")).out).toBe("ada@example.com has the role admin\n");
  await users("grant", "ada@example.com", "editor");
  expect((await users("list")).out).toMatch(/admin, editor/);
  expect((await users("revoke", "ada@example.com", "admin")).out).toBe(
    "ada@example.com no longer has the role admin\n",
  );
  expect((await users("list")).out).not.toMatch(/admin/);
});

test("fw users disable, enable and delete act on the account", async () => {
  const { users } = await shop();
  await users("create", "ada@example.com");
  await users("disable", "ada@example.com");
  expect((await users("list")).out).toMatch(/disabled$/m);
  await users("enable", "ada@example.com");
  expect((await users("list")).out).not.toMatch(/disabled/);
  expect((await users("delete", "ada@example.com")).out).toBe("ada@example.com is deleted\n");
  expect((await users("list")).out).toBe("there are no accounts\n");
});

test("fw users sessions lists the sessions of an account, and fw users sign-out ends them", async () => {
  const { root, users } = await shop();
  await users("create", "ada@example.com");
  await users("create", "bo@example.com");
  expect((await users("sessions", "ada@example.com")).out).toBe("the account has no session\n");
  const open = (): Promise<LocalPlatform> =>
    openLocal(join(root, ".fw/data"), definitionsOf({ entities: [], buckets: [], consumers: [], auth: {} }));
  const platform = await open();
  const ids: string[] = [];
  for (const { id, email } of (await platform.accounts.list(10, "")).accounts) {
    for (const provider of ["email", "social"] as const) {
      const session = await new Sessions(platform).create(id, provider);
      if (email.startsWith("bo")) ids.push(session?.id ?? "");
    }
  }
  await platform.close();
  const { out } = await users("sessions", "ada@example.com");
  const lines = out.split("\n").map((line) => line.replaceAll(/\S+Z/g, "TIME"));
  expect(lines.toSorted()).toEqual(["", "TIME  email  ends TIME", "TIME  social  ends TIME"]);
  const [newest] = JSON.parse((await users("sessions", "ada@example.com", "--json")).out) as {
    began: string;
    ends: string;
  }[];
  expect(Date.parse(newest?.ends ?? "") - Date.parse(newest?.began ?? "")).toBe(sessionMs);
  expect(await users("sign-out", "ada@example.com")).toMatchObject({
    code: 0,
    out: "ada@example.com is signed out everywhere\n",
  });
  expect((await users("sessions", "ada@example.com")).out).toBe("the account has no session\n");
  const after = await open();
  for (const id of ids)
    expect(await new Sessions(after).find(id)).toMatchObject({ identity: { email: "bo@example.com" } });
  await after.close();
  expect((await users("sessions", "nobody@example.com")).code).toBe(2);
});

test("a role that was not declared is refused, listing the declared roles with a did-you-mean", async () => {
  const { users } = await shop();
  await users("create", "ada@example.com");
  const err = `fw: "edtor" is not a declared role: the declared roles are "admin" and "editor"; did you mean "editor"?\n`;
  expect(await users("grant", "ada@example.com", "edtor")).toEqual({ code: 2, out: "", err });
  expect(await users("create", "bo@example.com", "--role", "edtor")).toEqual({ code: 2, out: "", err });
  expect((await users("list")).out).not.toContain("bo@example.com");
});

test("fw users create --password takes one line of standard input, and never shows it", async () => {
  const { root, users } = await shop();
  const created = await fwWith(["correct horse"], root, "users", "create", "ada@example.com", "--password");
  expect(created).toEqual({ code: 0, out: "ada@example.com has an account\n", err: "" });
  const platform = await openLocal(join(root, ".fw/data"), { kinds: [] });
  expect(await platform.accounts.checkPassword?.("ada@example.com", "correct horse")).toBeDefined();
  await platform.close();
  const empty = await fwWith([""], root, "users", "create", "bo@example.com", "--password");
  expect(empty).toMatchObject({ code: 2, err: "fw: the password is empty\n" });
  expect((await users("list")).out).not.toContain("bo@example.com");
});

test("fw users password sets a password, never shows it, and ends the sessions of the account", async () => {
  const { root, users } = await shop();
  await fwWith(["correct horse"], root, "users", "create", "ada@example.com", "--password");
  const kinds = definitionsOf({ entities: [], buckets: [], consumers: [], auth: {} });
  const before = await openLocal(join(root, ".fw/data"), kinds);
  const { id = "", passwordVersion } = (await before.accounts.byEmail("ada@example.com")) ?? {};
  const session = await new Sessions(before).create(id, "email", { passwordVersion });
  expect(session).toBeDefined();
  await before.close();
  expect(await fwWith([""], root, "users", "password", "ada@example.com")).toMatchObject({ code: 2 });
  expect(await fwWith(["battery staple"], root, "users", "password", "ADA@example.com")).toEqual({
    code: 0,
    out: "ada@example.com has a new password and is signed out everywhere\n",
    err: "",
  });
  expect((await users("sessions", "ada@example.com")).out).toBe("the account has no session\n");
  const after = await openLocal(join(root, ".fw/data"), kinds);
  expect(await after.accounts.checkPassword?.("ada@example.com", "correct horse")).toBeUndefined();
  expect(await after.accounts.checkPassword?.("ada@example.com", "battery staple")).toBeDefined();
  expect(await new Sessions(after).find(session?.id ?? "")).toBeUndefined();
  await after.close();
  expect(await fwWith(["x"], root, "users", "password", "nobody@example.com")).toMatchObject({
    code: 2,
    err: "fw: no account has the address nobody@example.com\n",
  });
});

test("an address that has an account, or is none, is refused", async () => {
  const { users } = await shop();
  await users("create", "ada@example.com");
  expect((await users("create", "ADA@example.com")).code).toBe(2);
  expect((await users("create", "not an address")).code).toBe(2);
  expect(await users("show", "nobody@example.com")).toEqual({
    code: 2,
    out: "",
    err: "fw: no account has the address nobody@example.com\n",
  });
});

test("the dev server must be stopped first", async () => {
  const { root, users } = await shop();
  const server = await openLocal(join(root, ".fw/data"), { kinds: [] });
  const refused = await users("list");
  await server.close();
  expect(refused).toEqual({ code: 2, out: "", err: "fw: a server is using this data; stop it first\n" });
});

test("an application without Auth has no accounts", async () => {
  const { users } = await shop(`-- package.json --
{ "name": "shop", "type": "module" }
-- shop/api.ts --
import { API } from "fw";
export const hello = API("GET /", (): { ok: boolean } => ({ ok: true }));
`);
  expect((await users("list")).err).toBe("fw: the application declares no Auth, so it has no accounts\n");
});

test("fw users tokens lists the access tokens of an account, and revokes one", async () => {
  const { root, users } = await shop();
  await users("create", "ada@example.com");
  expect((await users("tokens", "ada@example.com")).out).toBe("the account has no access token\n");
  const platform = await openLocal(
    join(root, ".fw/data"),
    definitionsOf({ entities: [], buckets: [], consumers: [], auth: {} }),
  );
  const [ada] = (await platform.accounts.list(1, "")).accounts;
  const token = { name: "ci", lifetime: undefined, roles: ["editor"] };
  const created = await new Sessions(platform).createToken(ada?.id ?? "", "email", token);
  await platform.close();
  const { out } = await users("tokens", "ada@example.com");
  expect(out.replaceAll(/\S+Z/g, "TIME")).toBe(`${created?.id}  ci  made TIME  never ends  editor\n`);
  expect(JSON.parse((await users("tokens", "ada@example.com", "--json")).out)).toMatchObject([{ name: "ci" }]);
  const missing = await users("tokens", "ada@example.com", "--revoke", "0".repeat(24));
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("ada@example.com has no access token 0000") });
  expect((await users("tokens", "ada@example.com", "--revoke", created?.id ?? "")).code).toBe(0);
  expect((await users("tokens", "ada@example.com")).out).toBe("the account has no access token\n");
});
