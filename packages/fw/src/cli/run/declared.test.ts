import { expect, test } from "vitest";
import type { App } from "../../model/app.ts";
import { requireTenantOf } from "./declared.ts";

const job = { kind: "job", name: "archive", tenant: "orgs" };
const app = { packages: [{ declarations: [job] }] } as unknown as App;

test("a run of a job with tenants is refused for a name that no tenant can have", () => {
  expect(() => requireTenantOf(app, { name: "archive", tenant: "acme" })).not.toThrow();
  for (const tenant of ["acme/b", "a\nb", "x".repeat(129)])
    expect(() => requireTenantOf(app, { name: "archive", tenant })).toThrow("is not the id of a tenant");
});
