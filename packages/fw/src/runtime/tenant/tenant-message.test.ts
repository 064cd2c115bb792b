import { expect, test } from "vitest";
import type { Context } from "../../declare/context.ts";
import { Job } from "../../declare/job.ts";
import { Tenant } from "../../declare/tenant.ts";
import type { Wiring } from "../application.ts";
import type { BundledDestination } from "../bundle.ts";
import { tenancyOf } from "./tenant-context.ts";
import { contextOfSender, runsNameOf, tenantMessage, unwrapMessage } from "./tenant-message.ts";

const orgs = Tenant("orgs", () => ({}));
const declaration = Job("archive", { tenant: orgs });
const destination = { kind: "job", name: "archive", declaration } as unknown as BundledDestination;
const app = { bundle: { destinations: [destination] } } as unknown as Wiring;

function tenantOf(body: string): string | undefined {
  const { sender } = unwrapMessage(destination, JSON.parse(body));
  return tenancyOf(contextOfSender({} as Context, sender))?.id;
}

test("a run works in the tenant of its arguments", () => {
  expect(tenantOf(tenantMessage("acme", "null"))).toBe("acme");
  expect(runsNameOf(app, "archive", tenantMessage("a b", "null"))).toBe("archive/a%20b");
});

test.each(["acme/b", "", "a\nb", "\ud800", "x".repeat(129)])(
  "a run for %j waits, because its data could be that of another tenant",
  (tenant) => {
    expect(() => tenantOf(tenantMessage(tenant, "null"))).toThrow("it does not say which tenant of the job");
    expect(runsNameOf(app, "archive", tenantMessage(tenant, "null"))).toBe("archive");
  },
);
