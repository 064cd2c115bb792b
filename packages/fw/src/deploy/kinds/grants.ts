import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { CloudRequest } from "../../platform/gcp/rest/client.ts";
import { pathIn, shortName } from "../api-path.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { isFields, itemsOf, listOf, textOf, type Fields, type Value } from "../fields.ts";
import { bodyOf, type TerraformBlock } from "../terraform/terraform-block.ts";
import { isContention } from "../retry.ts";
import { restDriver } from "./rest-driver.ts";
import { createAgent } from "./agents.ts";

interface Binding {
  readonly role: string;
  readonly members: readonly string[];
  readonly condition?: Fields;
}

/**
 * The part of a resource's IAM policy that concerns the application's accounts and the members in the spec. The rest of
 * the policy stays unchanged. The id is the resource's name with its service, `//pubsub.googleapis.com/…`.
 */
export const grants: Driver = {
  ...restDriver({
    stage: (id) => (/^\/\/run\.|\/subscriptions\//.test(id) ? "connect" : "grant"),
    api: "iam",
    read: ({ id }, cloud) => read(id, cloud),
    create: (resource, cloud) => write(resource.id, bindingsOf(resource.spec), cloud),
    patch: (resource, cloud) => write(resource.id, bindingsOf(resource.spec), cloud),
    remove: (id, cloud) => write(id, [], cloud),
    normalize: (live, { spec }, cloud) => {
      const ours = ourMembers(bindingsOf(spec), cloud);
      return { bindings: fieldsFrom(only(bindingsOf(live), ours)) };
    },
    listed: "bindings",
    /** A block for each member, because such a block does not affect other members. */
    terraform: ({ id, spec }) =>
      bindingsOf(spec).flatMap(({ role, members, condition }) =>
        members.map((member) => ({
          type: `${policyOf(id).type}_iam_member`,
          part: `${role.replace("roles/", "")} ${nameOf(member)}`,
          body: { ...policyOf(id).body, role, member, ...(condition && bodyOf({ condition })) },
        })),
      ),
  }),
  /** A policy is part of its resource's API. */
  api: (id) => policyLocation(id).api,
};

/** Returns a short name: for example `shop-prod-web`, or `gcp-sa-pubsub` for a service agent. */
function nameOf(member: string): string {
  return member.replace(/^\w+:(?:service-\d+@)?/, "").replace(/[@.].*$/, "");
}

/** Returns the Terraform type of the policy's resource, and the attributes that refer to it. */
function policyOf(id: string): Pick<TerraformBlock, "type" | "body"> {
  const [, host = "", path = ""] = /^\/\/(\w+)\.googleapis\.com\/(.+)$/.exec(id) ?? [];
  const [collection = "", name = ""] = path.split("/").slice(-2);
  const location = path.split("/")[3] ?? "";
  const resources: Readonly<Record<string, Pick<TerraformBlock, "type" | "body">>> = {
    "cloudresourcemanager projects": { type: "google_project", body: { project: name } },
    "cloudtasks queues": { type: "google_cloud_tasks_queue", body: { name, location } },
    "iam serviceAccounts": { type: "google_service_account", body: { service_account_id: path } },
    "pubsub subscriptions": { type: "google_pubsub_subscription", body: { subscription: name } },
    "pubsub topics": { type: "google_pubsub_topic", body: { topic: name } },
    "run jobs": { type: "google_cloud_run_v2_job", body: { name, location } },
    "run services": { type: "google_cloud_run_v2_service", body: { name, location } },
    "secretmanager secrets": { type: "google_secret_manager_secret", body: { secret_id: name } },
    "storage buckets": { type: "google_storage_bucket", body: { bucket: name } },
  };
  const resource = resources[`${host} ${collection}`];
  if (!resource) throw new Error(`the Terraform provider has no resource for the policy of ${id}`);
  return resource;
}

/** The policy version that IAM requires with conditions and accepts without them. */
const policyVersion = 3;

/**
 * Creates the service agents among the members, then replaces the application's part of the policy (read-modify-write).
 * Retries after a conflict, or if the outcome of the write is unknown.
 */
async function write(id: string, desired: readonly Binding[], cloud: DeployCloud): Promise<void> {
  const members = new Set(desired.flatMap((binding) => binding.members));
  await Promise.all([...members].map((member) => createAgent(member, cloud)));
  await cloud.until(`the policy of ${id}`, async () => {
    const live = (await read(id, cloud)) ?? {};
    const ours = ourMembers(desired, cloud);
    const theirs = only(bindingsOf(live), (member) => !ours(member));
    const bindings = fieldsFrom([...theirs, ...desired]);
    const etag = textOf(live["etag"]);
    try {
      await cloud.call(writeRequest(id, { bindings, version: policyVersion, ...(etag !== "" && { etag }) }));
      return true;
    } catch (error) {
      // If the outcome of a write is unknown, reading again shows whether it took effect.
      if (isContention(error) || (error instanceof CloudError && error.unknownEffect)) return false;
      throw error;
    }
  });
}

/** Returns a predicate for the policy members that a deploy manages: those of `desired` and the application. */
function ourMembers(desired: readonly Binding[], cloud: DeployCloud): (member: string) => boolean {
  const members = new Set(desired.flatMap(({ members }) => members));
  return (member) => members.has(member) || cloud.isOurs(member);
}

/** Filters the members of bindings and drops empty bindings. */
function only(bindings: readonly Binding[], isIncluded: (member: string) => boolean): readonly Binding[] {
  return bindings
    .map((binding) => ({ ...binding, members: binding.members.filter(isIncluded) }))
    .filter(({ members }) => members.length > 0);
}

/** Sorts bindings and merges bindings of the same role and condition. */
export function fieldsFrom(bindings: readonly Binding[]): readonly Value[] {
  const bindingsByRole = new Map<string, Binding>();
  for (const { role, condition, members } of bindings) {
    const key = JSON.stringify([role, textOf(condition?.["expression"])]);
    const earlier = bindingsByRole.get(key)?.members ?? [];
    const all = [...new Set([...earlier, ...members])].toSorted();
    bindingsByRole.set(key, { role, members: all, ...(condition && { condition }) });
  }
  return [...bindingsByRole].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, binding]) => ({ ...binding }));
}

function bindingsOf({ bindings }: Fields): readonly Binding[] {
  return itemsOf(bindings).map(({ role, members, condition }) => ({
    role: textOf(role),
    members: listOf(members).map(textOf),
    ...(isFields(condition) && { condition }),
  }));
}

function read(id: string, cloud: DeployCloud): Promise<Fields | undefined> {
  const { api, path } = policyLocation(id);
  if (api === "storage")
    return cloud.find({
      api,
      method: "GET",
      path: `${path}/iam`,
      query: { optionsRequestedPolicyVersion: policyVersion },
    });
  if (api === "cloudresourcemanager" || api === "cloudtasks" || api === "iam") {
    const options = { requestedPolicyVersion: policyVersion };
    const asked =
      api === "iam" ? { query: { "options.requestedPolicyVersion": policyVersion } } : { body: { options } };
    return cloud.find({ api, method: "POST", path: `${path}:getIamPolicy`, repeatable: true, ...asked });
  }
  const query = { "options.requestedPolicyVersion": policyVersion };
  return cloud.find({ api, method: "GET", path: `${path}:getIamPolicy`, query });
}

function writeRequest(id: string, policy: Fields): CloudRequest {
  const { api, path } = policyLocation(id);
  if (api === "storage") return { api, method: "PUT", path: `${path}/iam`, body: policy, repeatable: false };
  return { api, method: "POST", path: `${path}:setIamPolicy`, body: { policy } };
}

function policyLocation(id: string): { readonly api: CloudRequest["api"]; readonly path: string } {
  const [, host = "", name = ""] = /^\/\/(\w+)\.googleapis\.com\/(.+)$/.exec(id) ?? [];
  if (host === "storage") return { api: "storage", path: `/storage/v1/b/${shortName(name)}` };
  const api = host as CloudRequest["api"];
  return { api, path: pathIn(api, name) };
}
