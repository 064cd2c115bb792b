import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startFakeCloud, type FakeCloud } from "../packages/fake-cloud/src/index.ts";
import { reportText } from "../packages/fw/src/cli/deploy/self-check/report.ts";
import { fwIn } from "../packages/fw/src/cli/testing/run.ts";
import { linkedBase, publishBase } from "../packages/fw/src/deploy/image/testing/base.ts";

const deployer = "deployer@demo-fw.iam.gserviceaccount.com";

test("fw deploy --self-check deploys, exercises and destroys an application of its own, and writes a report", async () => {
  const { fake, env, cwd } = await emptyProject();
  const where = ["--project", "demo-fw", "--env", "try", "--region", "europe-west1"];
  const ran = await fwIn(env, [], cwd, "deploy", "--self-check", "--yes", ...where);
  expect(ran.out).not.toContain("FAILED");
  expect(ran.code).toBe(0);
  const text = readFileSync(join(cwd, "fw-self-check.json"), "utf8");
  const report = JSON.parse(text) as {
    readonly checks: readonly { readonly name: string; readonly ok: boolean }[];
  };
  expect(report).toMatchObject({ version: 1, ok: true, region: "europe-west1" });
  expect(report.checks.map(({ name }) => name)).toEqual([
    "deploy to an empty project",
    "a second deploy has nothing to do",
    "status reports no drift",
    "an endpoint sends, publishes, writes an object, starts a job and calls a private service",
    "the queue is delivered, and its handler writes",
    "the topic is delivered, and its handler writes",
    "the upload is delivered, and its handler writes",
    "the job is delivered, and its handler writes",
    "Cloud Scheduler triggers the cron",
    "Cloud Run rejects an unauthenticated call to the private service",
    "logs are read",
    "destroy removes everything",
    "no resource of the application is left",
  ]);
  expect(text).not.toMatch(/demo-fw|123456789012|@/);
  expect(fake.apis.firestore.databases.size).toBe(0);
});

test("a self-check that cannot deploy reports why, and still removes everything", async () => {
  const { fake, env, cwd } = await emptyProject();
  fake.apis.billing.enabled = false;
  const where = ["--project", "demo-fw", "--env", "try", "--region", "europe-west1"];
  const ran = await fwIn(env, [], cwd, "deploy", "--self-check", "--yes", ...where);
  expect(ran.code).toBe(1);
  expect(ran.out).toContain("some checks failed; the report is fw-self-check.json");
  const text = readFileSync(join(cwd, "fw-self-check.json"), "utf8");
  expect(text).toContain("has no billing account");
  expect(text).not.toContain("demo-fw");
  const { checks } = JSON.parse(text) as {
    readonly checks: readonly { readonly name: string; readonly ok: boolean }[];
  };
  expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
    ["deploy to an empty project", false],
    ["destroy removes everything", true],
    ["no resource of the application is left", true],
  ]);
});

test("a report names no project, account, token or home directory", () => {
  const detail =
    "demo-fw 123456789012 ada@example.com ya29.a0Af_x-y Bearer abc.def eyJhbGciOi.eyJzdWI.sig /v1?X-Goog-Signature=abc&a=1";
  const report = {
    version: 1,
    fw: "0.1.0",
    node: "v24",
    platform: "linux x64",
    region: "europe-west1",
    startedAt: "2026-01-01T00:00:00.000Z",
    ok: false,
    checks: [{ name: "deploy", ok: false, seconds: 1, detail }],
    notCovered: [],
  } as const;
  const text = reportText(report, "demo-fw");
  expect(text).toContain("<project> <number> <account> <token> Bearer <token> <token> /v1?X-Goog-Signature=<key>&a=1");
});

async function emptyProject(): Promise<{
  readonly fake: FakeCloud;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}> {
  const fake = await startFakeCloud();
  fake.grant(`serviceAccount:${deployer}`, "roles/owner");
  const cache = await mkdtemp(join(tmpdir(), "fw-cache-"));
  const cwd = mkdtempSync(join(tmpdir(), "fw-report-"));
  onTestFinished(async () => {
    await fake.stop();
    await rm(cache, { recursive: true, force: true });
    rmSync(cwd, { recursive: true, force: true });
  });
  const base = await publishBase(fake, await linkedBase());
  const env = { ...(await fake.envOf(deployer)), HOME: cache, XDG_CACHE_HOME: cache, FW_BASE_IMAGE: base };
  return { fake, env, cwd };
}
