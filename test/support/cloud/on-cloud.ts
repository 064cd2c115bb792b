import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { startFakeCloud, type FakeCloud } from "../../../packages/fake-cloud/src/index.ts";
import type { Manifest } from "../../../packages/fw/src/build/manifest.ts";
import { fwIn } from "../../../packages/fw/src/cli/testing/run.ts";
import { linkedBase, publishBase } from "../../../packages/fw/src/deploy/image/testing/base.ts";
import type * as names from "../../../packages/fw/src/platform/gcp/names.ts";
import { build } from "../build.ts";
import { startFront } from "./front.ts";

/** The deploying account, with all permissions in the project. */
export const deployer = "deployer@demo-fw.iam.gserviceaccount.com";

/** The project and environment in the fake cloud. */
export interface Deployed {
  readonly fake: FakeCloud;
  readonly manifest: Manifest;
  readonly place: names.Stem & { readonly project: string; readonly projectNumber: string; readonly region: string };
}

/** An application on the fake cloud, where every service runs from its own image with its own account. */
export interface OnCloud extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly directory: string;
  readonly fake: FakeCloud;
  /** The ids of the services' processes. */
  readonly pids: () => readonly number[];
  /** The output of all services. */
  output(): string;
  /** Resolves once the output after `from` contains `text`. */
  says(text: string, from?: number): Promise<void>;
}

/** Deploys an application to a fake cloud with `fw deploy`. The fake cloud starts it from the pushed images. */
export async function startOnCloud(
  directory: string,
  secrets: Readonly<Record<string, string>> = {},
): Promise<OnCloud> {
  const fake = await startFakeCloud();
  fake.grant(`serviceAccount:${deployer}`, "roles/owner");
  const { id, number, region } = fake.project;
  // The setup that a person must do first, in the console.
  fake.apis.people.configuration.social = true;
  fake.apis.domains.verify(deployer, "example.com");
  for (const [name, value] of Object.entries(secrets)) fake.apis.secrets.set(`test-${name}`, value);
  await deploy(directory, fake);
  // A deploy deletes the directory of its build. This build reuses its bundles.
  await build(directory, "--platform", "gcp");
  const manifest = JSON.parse(readFileSync(join(directory, ".fw/build/app.json"), "utf8")) as Manifest;
  const place = { app: manifest.app, env: "test", project: id, projectNumber: number, region };
  const front = await startFront({ fake, manifest, place });
  const output = (): string => fake.apis.containers.output;
  return {
    url: `http://localhost:${front.port}`,
    port: front.port,
    directory,
    fake,
    pids: () => fake.apis.containers.pids,
    output,
    says: (text, from = 0) => expect.poll(() => output().slice(from)).toContain(text),
    async [Symbol.asyncDispose]() {
      await front.close();
      await fake.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function deploy(directory: string, fake: FakeCloud): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "fw-home-"));
  const env = {
    ...(await fake.envOf(deployer)),
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    FW_BASE_IMAGE: await publishBase(fake, await linkedBase()),
  };
  const where = ["--project", fake.project.id, "--env", "test", "--region", fake.project.region];
  try {
    const { code, out, err } = await fwIn(env, [], directory, "deploy", ...where, "--yes");
    if (code !== 0) throw new Error(`fw deploy failed:\n${out}${err}${fake.apis.containers.output}`);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
