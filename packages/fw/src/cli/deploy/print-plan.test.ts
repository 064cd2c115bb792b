import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { costsOf, listPrices } from "../../deploy/costs.ts";
import { desired } from "../../deploy/desired/desired.ts";
import { stepOf, type Plan, type PlanStep } from "../../deploy/plan.ts";
import { testProject } from "../../deploy/testing/project.ts";
import { declaredShop } from "../../deploy/testing/shop.ts";
import { palette } from "../print/colour.ts";
import { planText } from "./print-plan.ts";
import { progressOn } from "./project.ts";
import { unresponsiveText } from "./run.ts";
import { silent } from "../testing/run.ts";

const plain = palette(false);

test("the plan of a first deploy of four packages fits one screen, by package, with a sum of its costs", async () => {
  const text = planText(await firstPlan(), { palette: plain });
  expect(text.split("\n").length).toBeLessThan(45);
  await expect(text).toMatchFileSnapshot("testing/golden/first-plan.txt");
});

test("--verbose lists every step with its fields, and no policy that grants nothing", async () => {
  const text = planText(await firstPlan(), { palette: plain, verbose: true });
  expect(text).toContain("+ grants on queue emails\n    + roles/cloudtasks.enqueuer: shop-test-web\n");
  expect(text).not.toMatch(/^\+ grants on .*\n(?! {4})/m);
  await expect(text).toMatchFileSnapshot("testing/golden/first-plan-verbose.txt");
});

test("a plan that destroys says so line by line, however long it is", async () => {
  const { steps } = await firstPlan();
  const removals = steps.map(({ resource: { kind, id } }): PlanStep => ({ op: "prune", resource: { kind, id } }));
  const text = planText({ steps: removals, exposed: [] }, { palette: plain });
  await expect(text).toMatchFileSnapshot("testing/golden/destroying-plan.txt");
});

test("what always runs is summed up at list prices, and what is billed by use is named", () => {
  const { monthly, always, byUse } = costsOf(desired(fourPackages()));
  expect(always).toEqual(["1 instance of web-relay (49.93)", "1 cron (0.10)"]);
  expect(monthly).toBeCloseTo(730 * 3600 * (listPrices.instanceCpu + listPrices.instanceGibibyte / 2) + 0.1, 6);
  expect(byUse).toContain("documents");
  expect(costsOf([])).toEqual({ monthly: 0, always: [], byUse: [] });
});

test("docs/deploy.md has the list prices that a plan counts with, and their date", () => {
  const page = readFileSync(new URL("../../../../../docs/deploy.md", import.meta.url), "utf8");
  const [, table = ""] = /## What it costs([^]*?)\n## /.exec(page) ?? [];
  const prices = [...table.matchAll(/\| ([\d.]+) per /g)].map(([, price]) => Number(price));
  expect(prices).toEqual(Object.values(listPrices));
  expect(table.replaceAll(/\s+/g, " ")).toContain("as of 2025");
});

test("a step has a line where it took a second or failed, and each one with --verbose", async () => {
  const { steps } = await firstPlan();
  const [one = expect.fail()] = steps;
  const printed = (options: { readonly verbose: true | undefined }): string => {
    let text = "";
    const io = { ...silent, cwd: "", env: {}, out: { isTTY: false, write: (more: string) => void (text += more) } };
    const { onEnd } = progressOn(io, { json: undefined, ...options });
    onEnd?.({ step: one, state: "done", milliseconds: 20 });
    onEnd?.({ step: one, state: "done", milliseconds: 1_240 });
    onEnd?.({ step: one, state: "failed", error: new Error("no room (operation 17)"), milliseconds: 900 });
    return text;
  };
  const title = "title" in one.resource ? one.resource.title : "";
  const slowAndFailed = `  create ${title} (1.2 s)\n  FAILED ${title} (create, 0.9 s): no room (operation 17)\n`;
  expect(printed({ verbose: undefined })).toBe(slowAndFailed);
  expect(printed({ verbose: true })).toBe(`  create ${title} (0.0 s)\n${slowAndFailed}`);
});

test("services that do not answer are named in a sentence", () => {
  expect(unresponsiveText(["web"])).toBe(
    'web does not respond: read "fw logs web", or go back with "fw deploy --rollback"',
  );
  expect(unresponsiveText(["web", "mill"])).toMatch(/^web and mill do not respond: /);
});

function fourPackages(): typeof declaredShop {
  const { manifest } = declaredShop;
  const packages = ["desk", "web", "mail", "photos"];
  const services = manifest.services.map((service, at) => ({ ...service, package: packages[at % 4] ?? "" }));
  return { ...declaredShop, manifest: { ...manifest, services } };
}

async function firstPlan(): Promise<Plan> {
  const cloud = (await testProject()).open();
  return { steps: desired(fourPackages()).map((resource) => stepOf(resource, undefined, cloud, {})), exposed: [] };
}
