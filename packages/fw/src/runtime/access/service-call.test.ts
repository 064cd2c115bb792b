import { expect, test } from "vitest";
import { authenticateService, calledDeadline, calledIP, calledOrigin, forwardedSessionId } from "./service-call.ts";

function newRequest(forwarded: boolean): Parameters<typeof authenticateService>[0] {
  const callers = { verify: (token: string) => (token === "orders-token" ? "orders" : undefined) };
  const header = (name: string): string | undefined => (name === "authorization" ? "Bearer orders-token" : undefined);
  return { app: { callers }, exchange: { header }, forwarded, caller: undefined };
}

test("a service's token counts on a call, and not on a request that was forwarded for a client", async () => {
  const call = newRequest(false);
  await authenticateService(call);
  const forwarded = newRequest(true);
  await authenticateService(forwarded);
  expect([call.caller, forwarded.caller]).toEqual(["orders", undefined]);
});

test("the headers of a call are read only in their own form", () => {
  const of = (name: string, value: string) => ({ header: (asked: string) => (asked === name ? value : undefined) });
  const id = "a".repeat(43);
  const ids = [id, `fwt_${id}`, `${id}a`, id.slice(1), `fwt_${id.slice(1)}`, `x ${id}`, ""];
  expect(ids.map((value) => forwardedSessionId(of("x-fw-session", value)))).toEqual([
    id,
    `fwt_${id}`,
    ...ids.slice(2).map(() => undefined),
  ]);
  const deadlines = ["0", "1500", "999999999", "1000000000", "-1", "1.5", ""];
  expect(deadlines.map((value) => calledDeadline(of("x-fw-deadline-ms", value)))).toEqual([
    0,
    1500,
    999999999,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect([forwardedSessionId(of("", "")), calledDeadline(of("", ""))]).toEqual([undefined, undefined]);
  expect([calledIP(of("x-fw-client-ip", "::1")), calledIP(of("", ""))]).toEqual(["::1", ""]);
  expect([calledOrigin(of("x-fw-origin", "https://a.example")), calledOrigin(of("", ""))]).toEqual([
    "https://a.example",
    "",
  ]);
});
