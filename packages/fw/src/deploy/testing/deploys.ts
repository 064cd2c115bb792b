import type { CloudClient } from "../../platform/gcp/rest/client.ts";
import { deploy, type DeployOptions, type DeployResult } from "../deploy.ts";
import { desired } from "../desired/desired.ts";
import type { Resource } from "../resource.ts";
import type { TestProject } from "./project.ts";
import { randomManifest } from "./random-manifest.ts";
import type { Seeded } from "./random.ts";
import { undeclared } from "./undeclared.ts";

/** Returns the resources of a random application. `size` is the share of all possible declarations that it contains. */
export function randomResources(seeded: Seeded, size: number, { place, fake }: TestProject): readonly Resource[] {
  for (const name of ["MAIL_KEY", "PAY_KEY"]) fake.apis.secrets.set(`test-${name}`, "value");
  const manifest = randomManifest(seeded, size);
  const images = Object.fromEntries(
    manifest.services.map(({ name, bytes }) => [
      name,
      `europe-west1-docker.pkg.dev/demo-fw/fw/shop-test@sha256:${name}${bytes}`,
    ]),
  );
  return desired({ manifest, place, images });
}

export function imagesIn(resources: readonly Resource[]): readonly string[] {
  return resources.filter(({ kind }) => kind === "image").map(({ id }) => id);
}

/** Runs one deploy, as a new process would. */
export function deployOnce(
  project: TestProject,
  resources: readonly Resource[],
  { client, ...details }: DeployDetails = {},
): Promise<DeployResult> {
  return deploy({
    cloud: project.open(client, imagesIn(resources)),
    desired: resources,
    options: {},
    version: undeclared,
    holder: "a test",
    clock: project.clock,
    confirm: () => Promise.resolve(true),
    ...details,
  });
}

interface DeployDetails extends Partial<DeployOptions> {
  readonly client?: Pick<CloudClient, "call">;
}

/** Lets calls fail in each possible way, at `times` the usual probability. */
export function addFaults({ fake }: TestProject, times = 1): void {
  fake.faults.add({ fault: "429", probability: 0.06 * times });
  fake.faults.add({ fault: "503", probability: 0.06 * times });
  fake.faults.add({ fault: "ABORTED", probability: 0.04 * times });
  fake.faults.add({ fault: "reset before effect", probability: 0.06 * times });
  fake.faults.add({ fault: "reset after effect", probability: 0.05 * times });
  fake.faults.add({ fault: "503 after effect", probability: 0.05 * times });
}
