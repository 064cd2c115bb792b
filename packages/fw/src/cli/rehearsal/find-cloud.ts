import type { RehearsalCloud } from "../../rehearsal/cloud.ts";
import { ownDirectory } from "../../lib/own-modules.ts";
import { resolvedFrom } from "../../lib/resolved-from.ts";
import { Refusal } from "../command.ts";

/** The package that stands in for Google Cloud; no service has it, and no registry. */
const packageName = "fake-cloud";

interface FakeCloudModule {
  readonly startFakeCloud: () => Promise<RehearsalCloud>;
}

const missing = `fw dev --cloud needs the package ${packageName}, which is part of fw's repository and is not published: start fw from a checkout of it, or link packages/${packageName} into the application's node_modules`;

/** Starts the cloud of the package, which is looked for beside the application and beside fw. Rejects with a Refusal where it is not there. */
export async function startCloud(root: string): Promise<RehearsalCloud> {
  const { startFakeCloud } = await load(root);
  return startFakeCloud();
}

async function load(root: string): Promise<FakeCloudModule> {
  for (const from of [root, ownDirectory]) {
    const url = resolvedFrom(from, packageName);
    if (url !== undefined) return (await import(url)) as FakeCloudModule;
  }
  throw new Refusal(missing);
}

/** What `FW_CLOUD_FAULTS` asks for, or a Refusal. */
export function faultsOf(text = "{}"): object {
  try {
    const faults: unknown = JSON.parse(text);
    if (typeof faults === "object" && faults !== null) return faults;
  } catch {
    // Refused below.
  }
  throw new Refusal(`FW_CLOUD_FAULTS is JSON such as {"probability":0.01}, not ${JSON.stringify(text)}`);
}
