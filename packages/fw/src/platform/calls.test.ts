import * as crypto from "node:crypto";
import * as fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { CallSigner } from "./call-signer.ts";
import { CallVerifier } from "./call-verifier.ts";
import { newTestCallKeys } from "./testing/call-keys.ts";

vi.mock("node:crypto", { spy: true });
afterEach(() => vi.useRealTimers());

const [web, mail] = [newTestCallKeys(), newTestCallKeys()];
const publicKeys = { web: web.publicKey, mail: mail.publicKey };

function checks(): number {
  return vi.mocked(crypto.verify).mock.calls.length;
}

test("a token counts for its audience, until it expires, and as the identity whose key signed it", () => {
  const orders = new CallVerifier("orders", publicKeys);
  const token = web.mint({ audience: "orders", invoker: "web" }, 1_000_000);
  expect(orders.open(token, 999_999)).toEqual({ invoker: "web" });
  expect(orders.open(token, 1_000_000)).toEqual({ refused: "the token has expired" });
  expect(new CallVerifier("billing", publicKeys).open(token, 0)).toEqual({
    refused: `the token's audience is "orders"`,
  });
  const forged = mail.mint({ audience: "orders", invoker: "web" });
  expect(orders.open(forged, 0)).toEqual({ refused: "the token is not signed by a known caller" });
});

test("a token that was edited anywhere is refused", () => {
  const orders = new CallVerifier("orders", publicKeys);
  const token = web.mint({ audience: "orders", invoker: "web" });
  const edit = fc.record({ at: fc.nat(token.length - 1), to: fc.constantFrom(..."AZaz09-_.="), cut: fc.boolean() });
  fc.assert(
    fc.property(edit, ({ at, to, cut }) => {
      fc.pre(cut || token[at] !== to);
      const edited = token.slice(0, at) + (cut ? "" : to) + token.slice(at + 1);
      expect(orders.open(edited, 0)).toHaveProperty("refused");
    }),
    { numRuns: 500 },
  );
  expect(orders.open(token, 0)).toEqual({ invoker: "web" });
});

test("whatever is not a token at all is refused in a phrase", () => {
  const orders = new CallVerifier("orders", publicKeys);
  const parts = fc.array(fc.string(), { maxLength: 4 }).map((each) => each.join("."));
  const header = Buffer.from(`{"alg":"none"}`).toString("base64url");
  const claims = Buffer.from(`{"iss":"web","aud":"orders","exp":9e9}`).toString("base64url");
  fc.assert(fc.property(parts, (text) => "refused" in orders.open(text, 0)));
  for (const token of [`${header}.${claims}.`, `${header}.${claims}.${"A".repeat(86)}`, "A".repeat(100_000)])
    expect(orders.open(token, 0)).toEqual({ refused: "the token is malformed" });
});

test("the signature of a token is checked once, and of 1,000 tokens at most that is remembered", () => {
  const orders = new CallVerifier("orders", publicKeys);
  const tokens = Array.from({ length: 1_001 }, (_, i) => web.mint({ audience: "orders", invoker: "web" }, 1e12 + i));
  const open = (from: number, to: number): number => {
    const before = checks();
    for (const token of tokens.slice(from, to)) expect(orders.open(token, 0)).toEqual({ invoker: "web" });
    return checks() - before;
  };
  expect([open(0, 1_000), open(0, 1_000), open(1_000, 1_001), open(1, 1_001), open(0, 1)]).toEqual([1_000, 0, 1, 0, 1]);
});

test("who is no longer trusted is refused, also with a token that was good before", () => {
  const orders = new CallVerifier("orders", publicKeys);
  const token = web.mint({ audience: "orders", invoker: "web" });
  expect(orders.open(token, 0)).toEqual({ invoker: "web" });
  orders.trust({ mail: mail.publicKey });
  expect(orders.open(token, 0)).toEqual({ refused: "the token is not signed by a known caller" });
});

test("a service mints a token for a minute, and a new one when half of it is over", () => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  const signer = new CallSigner("web", web.privateKey);
  const [orders, billing] = [new CallVerifier("orders", publicKeys), new CallVerifier("billing", publicKeys)];
  const first = signer.tokenFor("orders");
  expect(billing.open(signer.tokenFor("billing"), Date.now())).toEqual({ invoker: "web" });
  expect(orders.open(first, Date.now() + 59_999)).toEqual({ invoker: "web" });
  expect(orders.open(first, Date.now() + 60_000)).toEqual({ refused: "the token has expired" });
  vi.advanceTimersByTime(29_999);
  expect(signer.tokenFor("orders")).toBe(first);
  vi.advanceTimersByTime(1);
  expect(signer.tokenFor("orders")).not.toBe(first);
});
