import type { RehearsalCloud } from "../../rehearsal/cloud.ts";
import { ownDirectory } from "../../lib/own-modules.ts";
import { resolvedFrom } from "../../lib/resolved-from.ts";
import { Refusal } from "../command.ts";

/** The package that simulates Google Cloud. It is not published. */
const packageName = "fake-cloud";

interface FakeCloudModule {
  readonly startFakeCloud: () => Promise<RehearsalCloud>;
}

const missing = `fw dev --cloud needs the package ${packageName} from the fw repository, which is not published: run fw from a checkout of the repository, or link packages/${packageName} into the application's node_modules`;

/**
 * Starts the simulated cloud from the package, next to the application or next to fw. Rejects with a Refusal if it is
 * missing.
 */
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

/** Parses `FW_CLOUD_FAULTS`. */
export function faultsOf(text = "{}"): object {
  try {
    const faults: unknown = JSON.parse(text);
    if (typeof faults === "object" && faults !== null) return faults;
  } catch {
    // Refused below.
  }
  throw new Refusal(`FW_CLOUD_FAULTS must be JSON such as {"probability":0.01}, not ${JSON.stringify(text)}`);
}
