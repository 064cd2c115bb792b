import { collectionOf, pathIn, shortName } from "../api-path.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { fieldsOf, isFields, listOf, textOf, topOf, type Fields, type Value } from "../fields.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import { changedFields, maskOf, restDriver } from "./rest-driver.ts";
import { withLog } from "./revision-log.ts";
import { containersOf, failureOf, grantReason } from "./run-resource.ts";

/**
 * A Cloud Run service. A change creates a revision without traffic; `traffic` switches once all services have their new
 * revision.
 */
export const service: Driver = restDriver({
  stage: "release",
  api: "run",
  collection: { in: "region", name: "services", pageSize: 500 },
  create: async ({ id, spec }, cloud) => {
    const path = pathIn("run", collectionOf(id));
    const query = { serviceId: shortName(id) };
    await waitForStart(id, spec, await cloud.call({ api: "run", method: "POST", path, query, body: spec }), cloud);
  },
  patch: async ({ id, spec }, cloud, { live, changes }) => {
    const pinned = topOf(changes).includes("template") ? pinnedTraffic(live) : undefined;
    const { updateMask } = maskOf(changes);
    const query = { updateMask: pinned ? `${updateMask},traffic` : updateMask };
    const body = { ...changedFields(spec, { live, changes }), ...(pinned && { traffic: pinned }) };
    const again = failedRevision(live) === undefined ? body : withRetryLabel(body, live);
    const path = pathIn("run", id);
    await waitForStart(id, again, await cloud.call({ api: "run", method: "PATCH", path, query, body: again }), cloud);
  },
  isRemoved: true,
  normalize: (live) => ({
    ...live,
    template: failedRevision(live) ?? withDefaultScaling(containersOf(fieldsOf(live["template"]))),
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
      ? { costs: `${Number(minInstanceCount)} instance${minInstanceCount === 1 ? "" : "s"} always running` }
      : {};
  },
});

/** Adds Cloud Run's default instance limit to a template without one. */
function withDefaultScaling(template: Fields): Fields {
  return { ...template, scaling: { maxInstanceCount: 100, ...fieldsOf(template["scaling"]) } };
}

/** Returns why the newest revision failed to start; undefined if it started or may still start. */
function failedRevision(live: Fields): string | undefined {
  const isReady = live["latestReadyRevision"] === live["latestCreatedRevision"];
  const failure = isReady || live["reconciling"] === true ? undefined : failureOf(live);
  return failure && `the revision does not start: ${failure}`;
}

/** Sets a label to force a new revision: Cloud Run creates none for an unchanged template. */
function withRetryLabel(body: Fields, live: Fields): Fields {
  const after = shortName(textOf(live["latestCreatedRevision"])).slice(-63);
  return { ...body, template: { ...fieldsOf(body["template"]), labels: { "fw-after": after } } };
}

/** Waits until a revision has started. Retries if it fails because a grant of this deploy has not propagated. */
async function waitForStart(id: string, body: Fields, operation: unknown, cloud: DeployCloud): Promise<void> {
  let under = operation;
  await cloud.until(`Cloud Run to see the roles of ${shortName(id)}`, async () => {
    try {
      await cloud.waitForOperation(under, "run");
      return true;
    } catch (error) {
      const reason = grantReason(error, cloud);
      if (reason === undefined) throw await withStartLog(id, cloud, error);
      cloud.reportWait(reason);
      const live = (await cloud.find({ api: "run", method: "GET", path: pathIn("run", id) })) ?? {};
      const query = { updateMask: "template" };
      const again = { template: withRetryLabel(body, live)["template"] ?? {} };
      under = await cloud.call({ api: "run", method: "PATCH", path: pathIn("run", id), query, body: again });
      return false;
    }
  });
}

/** Adds the revision's log to its start-up error. */
async function withStartLog(id: string, cloud: DeployCloud, error: unknown): Promise<unknown> {
  if (!(error instanceof CloudError)) return error;
  const live = (await cloud.find({ api: "run", method: "GET", path: pathIn("run", id) }).catch(() => {})) ?? {};
  if (failedRevision(live) === undefined) return error;
  return withLog(shortName(textOf(live["latestCreatedRevision"])), cloud, error);
}

/**
 * Returns the traffic that pins a service to its latest ready revision, so that an update moves no traffic yet.
 * Undefined if one revision already has all traffic, or if none is ready.
 */
function pinnedTraffic(live: Fields): readonly Value[] | undefined {
  const revision = shortName(textOf(live["latestReadyRevision"]));
  const [first, ...others] = listOf(live["traffic"]);
  const isPinned = isFields(first) && others.length === 0 && textOf(first["revision"]) !== "";
  if (isPinned || revision === "") return undefined;
  return [{ type: "TRAFFIC_TARGET_ALLOCATION_TYPE_REVISION", revision, percent: 100 }];
}
