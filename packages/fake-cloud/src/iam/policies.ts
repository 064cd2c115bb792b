import type { CloudClock } from "../clock.ts";
import { invalid, Refusal } from "../errors.ts";
import { holds, type ConditionResource } from "./condition.ts";
import { allows, isRole } from "./roles.ts";

/** A policy in the APIs' format. */
export interface Policy {
  readonly version?: number;
  readonly etag?: string;
  readonly bindings?: readonly Binding[];
}

export interface Binding {
  readonly role: string;
  readonly members: readonly string[];
  readonly condition?: { readonly title?: string; readonly description?: string; readonly expression: string };
}

/** One member's role on one resource. */
export interface Grant {
  readonly resource: string;
  readonly role: string;
  readonly member: string;
  readonly condition?: Binding["condition"];
}

/** True if a grant gives an account a permission on a resource. */
export function isGrantedBy(
  { resource: on, role, member, condition }: Grant,
  email: string,
  permission: string,
  resource: string,
): boolean {
  const reaches = on === resource || resource.startsWith(`${on}/`) || on.startsWith("//cloudresourcemanager.");
  return reaches && isRole(role) && allows(role, permission) && isMember(member, email) && fits(condition, resource);
}

/**
 * IAM policies by full resource name, such as `//pubsub.googleapis.com/projects/p/topics/t`. Grants also apply to
 * descendants; grants on the project apply to everything.
 */
export class Policies {
  readonly #clock: CloudClock;
  readonly #project: string;
  readonly #policies = new Map<string, { policy: Policy; effective: readonly Binding[] }>();
  /** Milliseconds until a change takes effect. */
  propagation = 0;

  constructor(clock: CloudClock, project: string) {
    this.#clock = clock;
    this.#project = project;
  }

  get(resource: string): Policy {
    return this.#policies.get(resource)?.policy ?? { version: 1, etag: "ACAB" };
  }

  /** Replaces a policy. Refuses an etag other than the current one. */
  set(resource: string, policy: Policy): Policy {
    const before = this.get(resource);
    if (policy.etag !== undefined && policy.etag !== "" && policy.etag !== before.etag) {
      throw new Refusal(
        "ABORTED",
        "There were concurrent policy changes. Please retry the whole read-modify-write with exponential backoff.",
      );
    }
    requireVersion(policy, before);
    const bindings = policy.bindings ?? [];
    for (const binding of bindings) checkBinding(binding, policy.version ?? 1);
    const after = { version: policy.version ?? 1, etag: nextEtag(before.etag), bindings };
    const stored = { policy: after, effective: this.#policies.get(resource)?.effective ?? [] };
    this.#policies.set(resource, stored);
    const takeEffect = (): void => {
      stored.effective = bindings;
    };
    if (this.propagation === 0) takeEffect();
    else this.#clock.after(this.propagation, takeEffect);
    return after;
  }

  /** Adds one member to a role. */
  grant(member: string, role: string, resource: string, condition?: Binding["condition"]): void {
    const { bindings = [] } = this.get(resource);
    const binding: Binding = { role, members: [member], ...(condition && { condition }) };
    this.set(resource, { version: 3, bindings: [...bindings, binding] });
  }

  /** Removes a role from a member. */
  revoke(member: string, role: string, resource: string): void {
    const { bindings = [] } = this.get(resource);
    const left = bindings.map((binding) =>
      binding.role === role ? { ...binding, members: binding.members.filter((one) => one !== member) } : binding,
    );
    this.set(resource, { version: 3, bindings: left.filter(({ members }) => members.length > 0) });
  }

  /** Returns the grants in effect. */
  grants(): readonly Grant[] {
    return [...this.#policies].flatMap(([resource, { effective }]) =>
      effective.flatMap(({ role, members, condition }) =>
        members.map((member) => ({ resource, role, member, ...(condition && { condition }) })),
      ),
    );
  }

  /** True if an account has a permission on a resource; `undefined` is an anonymous caller. */
  isAllowed(email: string | undefined, permission: string, resource: string): boolean {
    return this.#bindingsFor(resource).some(
      ({ role, members, condition }) =>
        isRole(role) &&
        allows(role, permission) &&
        members.some((member) => isMember(member, email)) &&
        fits(condition, resource),
    );
  }

  /** Returns a resource's bindings in effect, with the bindings of its ancestors and of the project. */
  #bindingsFor(resource: string): readonly Binding[] {
    const project = `//cloudresourcemanager.googleapis.com/projects/${this.#project}`;
    return [...this.#policies].flatMap(([name, { effective }]) =>
      name === project || name === resource || resource.startsWith(`${name}/`) ? effective : [],
    );
  }
}

function fits(condition: Binding["condition"], resource: string): boolean {
  return condition === undefined || holds(condition.expression, describe(resource));
}

function isMember(member: string, email: string | undefined): boolean {
  if (member === "allUsers") return true;
  if (email === undefined) return false;
  return member === "allAuthenticatedUsers" || member === `serviceAccount:${email}` || member === `user:${email}`;
}

/**
 * cloud.google.com/iam/docs/reference/rest/v1/Policy, `version`: an operation that removes "any role binding, with or
 * without a condition, from a policy that includes conditions" must specify version 3. Without an etag, IAM overwrites
 * such a policy silently.
 */
function requireVersion({ version = 1, etag = "" }: Policy, { bindings = [] }: Policy): void {
  if (etag === "" || version >= 3 || bindings.every(({ condition }) => condition === undefined)) return;
  throw invalid(
    "Specified policy does not have version 3 while the existing policy has conditional role bindings. To modify a policy with conditional role bindings, specify version 3.",
  );
}

function checkBinding({ role, members, condition }: Binding, version: number): void {
  if (!isRole(role)) throw invalid(`Role ${role} is not supported for this resource.`);
  for (const member of members) {
    if (!/^(?:allUsers|allAuthenticatedUsers|(?:serviceAccount|user|group|domain):\S+)$/.test(member)) {
      throw invalid(`Invalid member: ${member}. The member must have the form of "type:value".`);
    }
  }
  if (condition && version < 3) {
    throw invalid("Policies with conditional bindings must be requested and set with version 3.");
  }
}

/** Returns the attributes of `//pubsub.googleapis.com/projects/p/topics/t` for conditions. */
function describe(resource: string): ConditionResource {
  const [, service = "", name = ""] = /^\/\/([^/]+)\/(.*)$/.exec(resource) ?? [];
  return { service, name, type: `${service}/${types[service] ?? "Resource"}` };
}

const types: Readonly<Record<string, string>> = {
  "datastore.googleapis.com": "Database",
  "storage.googleapis.com": "Object",
};

function nextEtag(before: string | undefined): string {
  const number = before === undefined || before === "ACAB" ? 0 : Buffer.from(before, "base64").readUInt32BE();
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number + 1);
  return bytes.toString("base64");
}
