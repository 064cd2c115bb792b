import { expect, test } from "vitest";
import { authenticateService } from "./service-call.ts";

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
