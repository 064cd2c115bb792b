import { expect, test } from "vitest";
import { requireInternalCaller } from "./gate.ts";

type Request = Parameters<typeof requireInternalCaller>[0];

function isAdmitted(isPrivate: boolean, app: object, caller?: string): boolean {
  const request = { app, caller } as unknown as Request;
  const endpoint = { private: isPrivate } as unknown as Parameters<typeof requireInternalCaller>[1];
  try {
    requireInternalCaller(request, endpoint);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 403 });
    return false;
  }
}

const callers = { verify: () => undefined };
const inOneProcess = { settings: { privateRoutes: "served" } };
const refusing = { settings: { privateRoutes: "refused" } };
const amongServices = { settings: { privateRoutes: "served" }, callers };

test("a private route is for services, where services call each other or clients are refused", () => {
  expect([inOneProcess, refusing, amongServices].map((app) => isAdmitted(true, app))).toEqual([true, false, false]);
  expect([refusing, amongServices].map((app) => isAdmitted(true, app, "orders"))).toEqual([true, true]);
  expect([inOneProcess, refusing, amongServices].map((app) => isAdmitted(false, app))).toEqual([true, true, true]);
});
