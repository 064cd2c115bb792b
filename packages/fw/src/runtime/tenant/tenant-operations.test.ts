import { expect, test } from "vitest";
import type { Context } from "../../declare/context.ts";
import { Deny, NotFound } from "../../declare/errors.ts";
import { Tenant } from "../../declare/tenant.ts";
import type { Wiring } from "../application.ts";
import { tenantOperations } from "./tenant-operations.ts";

const ann = { user: () => ({ id: "ann" }) } as unknown as Context;

/** Makes Ann enter the tenant acme; `value` is the membership that the function of `Tenant` returns. */
async function enter(value: unknown): Promise<unknown> {
  const orgs = Tenant("orgs", () => value as object);
  const bundle = { tenants: [{ declaration: orgs, name: "orgs", field: "org" }] };
  const operations = tenantOperations(() => ({ bundle }) as unknown as Wiring);
  return operations.current(await operations.enter(ann, orgs, "acme"), orgs).member;
}

test("a user enters with a membership, and not with undefined or null", async () => {
  expect(await enter({ role: "admin" })).toEqual({ role: "admin" });
  for (const none of [undefined, null])
    await expect(enter(none)).rejects.toMatchObject({ status: 403, message: "you are not a member" });
});

test("an error that the function of a Tenant returns admits nobody", async () => {
  await expect(enter(Deny("your account is locked"))).rejects.toMatchObject({
    status: 403,
    message: "your account is locked",
  });
  await expect(enter(NotFound())).rejects.toThrow("the policy orgs failed");
});

test.each([{ value: [] }, { value: [{ role: "admin" }] }, { value: false }, { value: "" }])(
  "$value is no membership and admits nobody",
  async ({ value }) => {
    await expect(enter(value)).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/returned a (list|boolean|string): return the membership/) },
    });
  },
);
