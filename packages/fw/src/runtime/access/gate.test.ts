import { expect, test } from "vitest";
import type { Settings } from "../places.ts";
import { requireInternalCaller, requireOwnSite } from "./gate.ts";

type Request = Parameters<typeof requireInternalCaller>[0];
type Guard = Pick<Settings, "privateRoutes">;

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
const inOneProcess = { settings: { privateRoutes: "guarded" } satisfies Guard };
const refusing = { settings: { privateRoutes: "refused" } satisfies Guard };
const amongServices = { settings: { privateRoutes: "guarded" } satisfies Guard, callers };

test("a private route is for services, where services call each other or clients are refused", () => {
  expect([inOneProcess, refusing, amongServices].map((app) => isAdmitted(true, app))).toEqual([true, false, false]);
  expect([refusing, amongServices].map((app) => isAdmitted(true, app, "orders"))).toEqual([true, true]);
  expect([inOneProcess, refusing, amongServices].map((app) => isAdmitted(false, app))).toEqual([true, true, true]);
});

test("an unsafe request of another site is refused unless a service or a program with credentials of its own sends it", () => {
  const isRefused = (kind: string, method: string, more: object): boolean => {
    const header = (name: string): string | undefined => (name === "sec-fetch-site" ? "cross-site" : undefined);
    const request = {
      app: { bundle: { packages: [{}] } },
      exchange: { method, header },
      claim: undefined,
      caller: undefined,
      ...more,
    };
    const endpoint = { kind, method, package: 0 };
    try {
      requireOwnSite(request as unknown as Request, endpoint as unknown as Parameters<typeof requireOwnSite>[1]);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ status: 403 });
      return true;
    }
  };
  expect(isRefused("api", "POST", {})).toBe(true);
  expect(isRefused("api", "POST", { claim: { by: "session" } })).toBe(true);
  expect(isRefused("api", "POST", { claim: { by: "authenticator", credentials: { isAmbient: true } } })).toBe(true);
  expect(isRefused("api", "POST", { claim: { by: "authenticator", credentials: { isAmbient: false } } })).toBe(false);
  expect(isRefused("api", "POST", { claim: { by: "token" } })).toBe(false);
  expect(isRefused("api", "POST", { caller: "orders" })).toBe(false);
  expect(isRefused("api", "GET", {})).toBe(false);
  expect(isRefused("page", "POST", {})).toBe(false);
});
