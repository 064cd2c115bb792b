import { afterEach, expect, test, vi } from "vitest";
import { Authenticator, type AuthenticatorHandler } from "../../declare/authenticator.ts";
import type { Context } from "../../declare/context.ts";
import { Role } from "../../declare/role.ts";
import type { BundledAuthenticator } from "../bundle.ts";
import { authenticate, authenticatorMs } from "./authenticator.ts";
import { readCredentials, parseCredentials, type Credentials } from "./authenticator-credentials.ts";

afterEach(() => vi.useRealTimers());

const ctx = {} as Context;

function keyed(handler: AuthenticatorHandler<never>): BundledAuthenticator {
  const credentials = [{ source: "header", name: "x-key", required: true }] as const;
  return { name: "partners", credentials, declaration: Authenticator(handler), decode: (raw) => raw };
}

function credentialsOf(each: BundledAuthenticator, rawHeaders: string[] = ["X-Key", "k"]): Credentials {
  const found = readCredentials([each], { rawHeaders, header: () => undefined }, "");
  if (found === undefined) throw new Error("nothing was brought");
  return found;
}

test("an authenticator that does not answer is given up in time", async () => {
  vi.useFakeTimers();
  const slow = keyed(() => new Promise(() => {}));
  const authentication = Promise.resolve(authenticate([slow], credentialsOf(slow), ctx));
  const refusal = expect(authentication).rejects.toMatchObject({
    message: "the authenticator partners failed",
    cause: { message: "partners took longer than 10s" },
  });
  await vi.advanceTimersByTimeAsync(authenticatorMs);
  await refusal;
  expect(vi.getTimerCount()).toBe(0);
});

test("whoever it answers is frozen into an identity, with roles once each", () => {
  const editor = Role("editor");
  const known = keyed(() => ({ id: "p", roles: [editor, "editor", "admin"] }));
  expect(authenticate([known], credentialsOf(known), ctx)).toMatchObject({
    identity: { id: "p", email: "", name: "", provider: "other", emailVerified: false, roles: ["admin", "editor"] },
    token: {},
  });
});

test("somebody without an id is a mistake of the application", () => {
  const wrong = keyed(() => ({ id: "" }));
  expect(() => authenticate([wrong], credentialsOf(wrong), ctx)).toThrow("the authenticator partners failed");
});

test("what a service hands on is what its visitor brought", () => {
  const each: BundledAuthenticator = {
    name: "machines",
    credentials: [
      { source: "header", name: "x-key", required: true },
      { source: "cookie", name: "unit", required: false },
      { source: "query", name: "tenant", required: false },
    ],
  };
  const rawHeaders = ["X-Key", "k&=ü", "X-KEY", "second", "Cookie", "unit=a%20b; other=1"];
  const first = readCredentials([each], { rawHeaders, header: () => undefined }, "tenant=t%26&more=1");
  const { fields, query } = parseCredentials(first?.text ?? "");
  expect(fields.header("x-key")).toEqual(["k&=ü", "second"]);
  expect(fields.cookie("unit")).toEqual(["a b"]);
  expect(fields.cookie("other")).toEqual([]);
  expect(query).toBe("tenant=t%26");
});

test("a query that is none has no credentials in it", () => {
  const credentials = [{ source: "query", name: "key", required: true }] as const;
  const each: BundledAuthenticator = { name: "links", credentials };
  expect(readCredentials([each], { rawHeaders: [], header: () => undefined }, "key=%zz")).toBeUndefined();
});
