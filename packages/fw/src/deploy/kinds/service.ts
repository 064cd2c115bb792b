import { randomBytes } from "node:crypto";
import type { DeployCloud, Driver } from "../driver.ts";
import { isFields, topOf, type Fields, type Value } from "../fields.ts";
import { isMark, marks } from "../known.ts";
import { fieldsOf, hasLabels, labelled, named, textOf } from "./marked.ts";
import { containersOf, failureOf, isWaitingForGrant, settled } from "./run.ts";
import { bodyOf } from "../terraform/written.ts";

/** A service of Cloud Run. A change makes a revision that nobody is sent to: `traffic` does that, when all services have theirs. */
export const service: Driver = {
  stage: "release",
  api: "run",
  read: async ({ id }, cloud) => {
    const live = await cloud.find({ api: "run", method: "GET", path: `/v2/${id}` });
    const key = live && formKeyOf(live);
    if (key) cloud.known.set(marks.formKey(nameOf(id)), key);
    return live;
  },
  list: async (cloud) => {
    const path = `/v2/projects/${cloud.place.project}/locations/${cloud.place.region}/services`;
    return named(
      await cloud.all({ api: "run", method: "GET", path, query: { pageSize: 500 } }, "services"),
      cloud.place,
    );
  },
  create: async ({ id, spec }, cloud) => {
    const path = `/v2/${id.replace(/\/services\/.*$/, "/services")}`;
    const query = { serviceId: nameOf(id) };
    const body = withKey(id, spec, cloud);
    await started(id, body, await cloud.call({ api: "run", method: "POST", path, query, body }), cloud);
  },
  patch: async ({ id, spec }, live, changes, cloud) => {
    const fields = topOf(changes);
    const changed = Object.entries({ ...withKey(id, spec, cloud), labels: labelled(spec, live) });
    const pinned = fields.includes("template") ? pinnedTraffic(live) : undefined;
    const mask = [...fields, ...(pinned ? ["traffic"] : [])];
    const body = {
      ...Object.fromEntries(changed.filter(([name]) => fields.includes(name))),
      ...(pinned && { traffic: pinned }),
    };
    const query = { updateMask: mask.join(",") };
    const again = failedRevision(live) === undefined ? body : triedAgain(body, live);
    await started(
      id,
      again,
      await cloud.call({ api: "run", method: "PATCH", path: `/v2/${id}`, query, body: again }),
      cloud,
    );
  },
  remove: async (id, cloud) => {
    const gone = await cloud.find({ api: "run", method: "DELETE", path: `/v2/${id}` });
    if (gone) await settled(gone, cloud);
  },
  normalize: (live) => ({ ...live, template: failedRevision(live) ?? containersOf(fieldsOf(live["template"])) }),
  fixed: [],
  terraform: ({ id, spec }, { region }) => {
    const { minInstanceCount = 0, maxInstanceCount = 100 } = fieldsOf(spec["scaling"]);
    const template = { ...fieldsOf(spec["template"]), scaling: { maxInstanceCount } };
    const traffic = { type: "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST", percent: 100 };
    const body = bodyOf({ ...spec, scaling: { minInstanceCount }, template, traffic });
    const key = marks.formKey(nameOf(id));
    const hasKey = environmentOf(spec["template"]).some(({ value }) => value === key);
    return [
      ...(hasKey ? [{ type: "random_bytes", body: { length: 32 }, marks: { [key]: keyIn } }] : []),
      {
        type: "google_cloud_run_v2_service",
        body: { name: nameOf(id), location: region, deletion_protection: false, ...body },
      },
    ];
  },
  isMarked: (live, place) => hasLabels(live, place),
  notes: (step, { spec }) => {
    const { minInstanceCount = 0 } = fieldsOf(spec["scaling"]);
    return step !== "prune" && Number(minInstanceCount) > 0
      ? { costs: `${Number(minInstanceCount)} instance${minInstanceCount === 1 ? "" : "s"} running always` }
      : {};
  },
};

/** Why the newest revision never started; undefined for one that has, or may yet. */
function failedRevision(live: Fields): string | undefined {
  const isReady = live["latestReadyRevision"] === live["latestCreatedRevision"];
  const failure = isReady || live["reconciling"] === true ? undefined : failureOf(live);
  return failure && `a revision that does not start: ${failure}`;
}

/** The same template makes no revision: one that is tried again says after which. */
function triedAgain(body: Fields, live: Fields): Fields {
  const after = nameOf(textOf(live["latestCreatedRevision"])).slice(-63);
  return { ...body, template: { ...fieldsOf(body["template"]), labels: { "fw-after": after } } };
}

/** Waits for a revision, and tries again while it does not start for want of a grant that this deploy has just made. */
async function started(id: string, body: Fields, operation: unknown, cloud: DeployCloud): Promise<void> {
  let under = operation;
  await cloud.until(`grants are known to Cloud Run for ${nameOf(id)}`, async () => {
    try {
      await settled(under, cloud);
      return true;
    } catch (error) {
      if (!isWaitingForGrant(error)) throw error;
      const live = (await cloud.find({ api: "run", method: "GET", path: `/v2/${id}` })) ?? {};
      const query = { updateMask: "template" };
      const again = { template: triedAgain(body, live)["template"] ?? {} };
      under = await cloud.call({ api: "run", method: "PATCH", path: `/v2/${id}`, query, body: again });
      return false;
    }
  });
}

function nameOf(id: string): string {
  return id.split("/").at(-1) ?? "";
}

/** Traffic that stays with the revision that has it, where it would go to each new one by itself. */
function pinnedTraffic(live: Fields): readonly Value[] | undefined {
  const revision = textOf(live["latestReadyRevision"]).split("/").at(-1) ?? "";
  const [first, ...others] = Array.isArray(live["traffic"]) ? (live["traffic"] as readonly Value[]) : [];
  const isPinned = isFields(first) && others.length === 0 && textOf(first["revision"]) !== "";
  if (isPinned || revision === "") return undefined;
  return [{ type: "TRAFFIC_TARGET_ALLOCATION_TYPE_REVISION", revision, percent: 100 }];
}

function environmentOf(template: Value | undefined): readonly Fields[] {
  const [container] = fieldsOf(template)["containers"] as readonly Value[];
  const { env = [] } = fieldsOf(container);
  return (Array.isArray(env) ? (env as readonly Value[]) : []).filter(isFields);
}

function formKeyOf({ template }: Fields): string | undefined {
  if (!Array.isArray(fieldsOf(template)["containers"])) return undefined;
  const value = textOf(environmentOf(template).find(({ name }) => name === "FW_CSRF_KEY")?.["value"]);
  return value === "" ? undefined : value;
}

function keyIn(address: string): string {
  return `${address}.base64`;
}

/** A service that signs forms with a key of its own gets one when it is first made, and keeps it. */
function withKey(id: string, spec: Fields, cloud: DeployCloud): Fields {
  const mark = marks.formKey(nameOf(id));
  const unset = environmentOf(spec["template"]).some(({ value }) => value === mark && isMark(value));
  if (!unset) return spec;
  const key = cloud.known.get(mark) ?? randomBytes(32).toString("base64");
  cloud.known.set(mark, key);
  return JSON.parse(JSON.stringify(spec).replaceAll(JSON.stringify(mark), JSON.stringify(key))) as Fields;
}
