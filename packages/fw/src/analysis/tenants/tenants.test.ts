import { expect, test } from "vitest";
import { compareVersions } from "../../evolution/compare.ts";
import { recordedSchema } from "../../evolution/recorded.ts";
import { needsAction } from "../../evolution/change.ts";
import { useAppBench } from "../testing/app-bench.ts";
import { desk } from "../testing/desk-app.ts";
import { tenantMutants } from "../testing/tenant-mutants.ts";

const bench = useAppBench();

/** Changes of the help desk that drop or change a tenant; `FW_TRIES=42` for 1,008. */
const mutants = tenantMutants(24 * Number(process.env["FW_TRIES"] ?? 1));

test("an application whose handlers name no tenant has no finding, and each index begins with the tenant", async () => {
  const { diagnostics, app } = await bench.analyze(desk);
  expect(diagnostics).toEqual([]);
  expect(app.indexes?.map(({ fields }) => fields.map(({ field }) => field))).toEqual([
    ["@tenant", "status", "weight"],
    ["@tenant", "weight"],
  ]);
});

test(`of ${mutants.length} changes that drop or change a tenant, all are refused before they run`, async () => {
  const accepted: string[] = [];
  for (const { name, text } of mutants) {
    const diagnostics = await bench.diagnose(text);
    if (!diagnostics.some(({ code }) => code.startsWith("fw/tenant-"))) accepted.push(name);
  }
  expect(accepted).toEqual([]);
}, 3_000_000);

test("documents and messages that change tenants need a decision", async () => {
  const before = recordedSchema((await bench.analyze(desk)).app);
  const changed = desk
    .replace(", title: Unique<string>", "")
    .replace('"notes", { tenant: orgs }', '"notes", { tenant: "shared" }');
  const { app, diagnostics } = await bench.analyze(changed);
  expect(diagnostics).toEqual([]);
  const changes = compareVersions(before, app).filter(needsAction);
  expect(changes.map(({ message }) => message)).toEqual([
    'documents of "notes" belong to tenants "orgs" and stay there, and the new version looks for those of no tenant',
  ]);
  const separate = recordedSchema(app);
  const back = compareVersions(separate, (await bench.analyze(desk)).app).filter(needsAction);
  expect(back.map(({ message }) => message)).toEqual([
    'documents of "notes" belong to no tenant and stay there, and the new version looks for those of tenants "orgs"',
  ]);
  const mails = desk.replace('"mails", { tenant: orgs }', '"mails"');
  expect(compareVersions(before, (await bench.analyze(mails)).app).filter(needsAction)).toMatchObject([
    {
      rule: "evolve-message",
      message: expect.stringContaining('waiting messages of the queue "mails" belong to tenants'),
    },
  ]);
});
