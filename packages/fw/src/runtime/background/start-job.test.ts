import { expect, test } from "vitest";
import type { Request } from "../request.ts";
import { startNamedJob } from "./start-job.ts";

test.each([`{"message":{}}`, `{"tenant":"","message":{}}`, `{"tenant":"acme"}`, "null", ""])(
  "arguments %j without a tenant are refused for a job of tenants",
  async (text) => {
    const declaration = { kind: "job", name: "export", tenant: { kind: "tenant", name: "orgs" } };
    const job = { kind: "job", name: "export", declaration, decode: (value: unknown) => value };
    const request = { app: { bundle: { destinations: [job] } }, ctx: {} } as unknown as Request;
    await expect(startNamedJob(request, "export", text)).rejects.toMatchObject({
      status: 400,
      message: "name the tenant that the run belongs to",
    });
  },
);
