import { pathIn, shortName } from "../api-path.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { itemsOf, textOf, type Fields, type Value } from "../fields.ts";
import { restDriver } from "./rest-driver.ts";
import { failureOf } from "./run-resource.ts";

/** The revision that receives a service's requests. In the spec, `latest` stands for the newest revision's name. */
export const traffic: Driver = restDriver({
  stage: "switch",
  api: "run",
  create: ({ id }, cloud) => sendTo(id, cloud),
  patch: ({ id }, cloud) => sendTo(id, cloud),
  normalize: (live) => ({
    serving: serving(live) === nameOf(live["latestCreatedRevision"]) ? "latest" : serving(live),
  }),
  /** Terraform's service resource includes the traffic. */
  terraform: () => [],
  follows: (live, { changes }) =>
    changes.some(({ path }) => path.startsWith("template"))
      ? { path: "serving", from: serving(live), to: "the new revision" }
      : undefined,
});

/** Returns the revision that gets all requests, or a description of any other split. */
export function serving(live: Fields): string {
  const targets = itemsOf(live["traffic"]);
  const [first, ...others] = targets.filter(({ percent }) => percent !== undefined && percent !== 0);
  if (first === undefined || (others.length === 0 && textOf(first["revision"]) === "")) return "whichever is new";
  if (others.length > 0)
    return targets.map(({ revision, percent }) => `${textOf(revision)} ${Number(percent)} %`).join(", ");
  return textOf(first["revision"]);
}

/** Sends all requests to a revision, by default the newest. */
export async function sendTo(id: string, cloud: DeployCloud, revision?: string): Promise<void> {
  const to = revision ?? (await ready(id, cloud));
  const target = { type: "TRAFFIC_TARGET_ALLOCATION_TYPE_REVISION", revision: to, percent: 100 };
  const query = { updateMask: "traffic" };
  const body = { traffic: [target] };
  await cloud.waitForOperation(
    await cloud.call({ api: "run", method: "PATCH", path: pathIn("run", id), query, body }),
    "run",
  );
}

/** Waits until the newest revision is ready and returns its name; throws if it does not start. */
async function ready(id: string, cloud: DeployCloud): Promise<string> {
  let live: Fields = {};
  await cloud.until(`the newest revision of ${id}`, async () => {
    live = await cloud.call<Fields>({ api: "run", method: "GET", path: pathIn("run", id) });
    const isReady = live["latestReadyRevision"] === live["latestCreatedRevision"];
    const failure = isReady || live["reconciling"] === true ? undefined : failureOf(live);
    if (failure !== undefined)
      throw new Error(`the revision ${nameOf(live["latestCreatedRevision"])} does not start: ${failure}`);
    return isReady;
  });
  return nameOf(live["latestCreatedRevision"]);
}

function nameOf(revision: Value | undefined): string {
  return shortName(textOf(revision));
}
