import { collectionOf, pathIn, shortName } from "../api-path.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { fieldsOf, isFields, listOf, textOf, topOf, type Fields, type Value } from "../fields.ts";
import { bodyOf } from "../terraform/written.ts";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import { changed, maskOf, restDriver } from "./rest-driver.ts";
import { withLog } from "./revision-log.ts";
import { containersOf, failureOf, grantReason } from "./run.ts";

/** A service of Cloud Run. A change makes a revision that nobody is sent to: `traffic` does that, when all services have theirs. */
export const service: Driver = restDriver({
  stage: "release",
  api: "run",
  collection: { in: "region", name: "services", pageSize: 500 },
  create: async ({ id, spec }, cloud) => {
    const path = pathIn("run", collectionOf(id));
    const query = { serviceId: shortName(id) };
    await started(id, spec, await cloud.call({ api: "run", method: "POST", path, query, body: spec }), cloud);
  },
  patch: async ({ id, spec }, cloud, { live, changes }) => {
    const pinned = topOf(changes).includes("template") ? pinnedTraffic(live) : undefined;
    const { updateMask } = maskOf(changes);
    const query = { updateMask: pinned ? `${updateMask},traffic` : updateMask };
    const body = { ...changed(spec, { live, changes }), ...(pinned && { traffic: pinned }) };
    const again = failedRevision(live) === undefined ? body : triedAgain(body, live);
    const path = pathIn("run", id);
    await started(id, again, await cloud.call({ api: "run", method: "PATCH", path, query, body: again }), cloud);
  },
  isRemoved: true,
  normalize: (live) => ({
    ...live,
    template: failedRevision(live) ?? scaled(containersOf(fieldsOf(live["template"]))),
  }),
  terraform: ({ id, spec: { defaultUriDisabled: _unknown, ...spec } }, { region }) => {
    const { minInstanceCount = 0, maxInstanceCount = 100 } = fieldsOf(spec["scaling"]);
    const template = { ...fieldsOf(spec["template"]), scaling: { maxInstanceCount } };
    const traffic = { type: "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST", percent: 100 };
    const body = bodyOf({ ...spec, scaling: { minInstanceCount }, template, traffic });
    return [
      {
        type: "google_cloud_run_v2_service",
        body: { name: shortName(id), location: region, deletion_protection: false, ...body },
      },
    ];
  },
  notes: (step, { spec }) => {
    const { minInstanceCount = 0 } = fieldsOf(spec["scaling"]);
    return step !== "prune" && Number(minInstanceCount) > 0
      ? { costs: `${Number(minInstanceCount)} instance${minInstanceCount === 1 ? "" : "s"} running always` }
      : {};
  },
});

/** A template with the default that Cloud Run has where it names no limit of instances. */
function scaled(template: Fields): Fields {
  return { ...template, scaling: { maxInstanceCount: 100, ...fieldsOf(template["scaling"]) } };
}

/** Why the newest revision never started; undefined for one that has, or may yet. */
function failedRevision(live: Fields): string | undefined {
  const isReady = live["latestReadyRevision"] === live["latestCreatedRevision"];
  const failure = isReady || live["reconciling"] === true ? undefined : failureOf(live);
  return failure && `a revision that does not start: ${failure}`;
}

/** The same template makes no revision: one that is tried again says after which. */
function triedAgain(body: Fields, live: Fields): Fields {
  const after = shortName(textOf(live["latestCreatedRevision"])).slice(-63);
  return { ...body, template: { ...fieldsOf(body["template"]), labels: { "fw-after": after } } };
}

/** Waits for a revision, and tries again while it does not start for want of a grant that this deploy has just made. */
async function started(id: string, body: Fields, operation: unknown, cloud: DeployCloud): Promise<void> {
  let under = operation;
  await cloud.until(`grants are known to Cloud Run for ${shortName(id)}`, async () => {
    try {
      await cloud.finished(under, "run");
      return true;
    } catch (error) {
      const reason = grantReason(error, cloud);
      if (reason === undefined) throw await explained(id, cloud, error);
      cloud.reportWait(reason);
      const live = (await cloud.find({ api: "run", method: "GET", path: pathIn("run", id) })) ?? {};
      const query = { updateMask: "template" };
      const again = { template: triedAgain(body, live)["template"] ?? {} };
      under = await cloud.call({ api: "run", method: "PATCH", path: pathIn("run", id), query, body: again });
      return false;
    }
  });
}

/** A revision that did not start has printed why. */
async function explained(id: string, cloud: DeployCloud, error: unknown): Promise<unknown> {
  if (!(error instanceof CloudError)) return error;
  const live = (await cloud.find({ api: "run", method: "GET", path: pathIn("run", id) }).catch(() => {})) ?? {};
  if (failedRevision(live) === undefined) return error;
  return withLog(shortName(textOf(live["latestCreatedRevision"])), cloud, error);
}

/** Traffic that stays with the revision that has it, where it would go to each new one by itself. */
function pinnedTraffic(live: Fields): readonly Value[] | undefined {
  const revision = shortName(textOf(live["latestReadyRevision"]));
  const [first, ...others] = listOf(live["traffic"]);
  const isPinned = isFields(first) && others.length === 0 && textOf(first["revision"]) !== "";
  if (isPinned || revision === "") return undefined;
  return [{ type: "TRAFFIC_TARGET_ALLOCATION_TYPE_REVISION", revision, percent: 100 }];
}
