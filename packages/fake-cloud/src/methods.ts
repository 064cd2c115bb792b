import { nameOf, type Call, type Method, type Need } from "./api.ts";
import type { Cloud } from "./cloud.ts";
import { accountResource, projectResource } from "./iam/resources.ts";

/** A kind of resource: the prefixes of its methods and permissions, and the resource that its grants apply to. */
export interface ResourceKind {
  /** `cloudtasks.projects.locations.queues` */
  readonly methods: string;
  /** `cloudtasks.queues` */
  readonly permissions: string;
  /** The resource of a call, in the format of grants. */
  readonly on: (call: Call) => string;
  /** Unusual permission names of this kind, by verb. */
  readonly permissionNames?: Readonly<Record<string, string>>;
}

/** A method of a kind. A plain function needs the verb's default permission on the call's resource. */
export type Verb = Method["run"] | DetailedVerb;

interface DetailedVerb {
  /** A permission without the kind's prefix. */
  readonly permission?: string;
  readonly on?: ResourceKind["on"];
  /** Additional permissions. */
  readonly needs?: (call: Call) => readonly Need[];
  readonly run: Method["run"];
}

/**
 * Creates the methods of a kind from verbs: `{ get: … }` is the method `<methods>.get` with the permission
 * `<permissions>.get`; `{ "fields.get": … }` is `<methods>.fields.get` with the same permission.
 */
export function methodsOf(kind: ResourceKind, verbs: Readonly<Record<string, Verb>>): Readonly<Record<string, Method>> {
  const methods = Object.entries(verbs).map(([verb, definition]): [string, Method] => {
    const detailed = typeof definition === "function" ? { run: definition } : definition;
    const [last = ""] = verb.split(".").slice(-1);
    const {
      permission = kind.permissionNames?.[verb] ?? permissionNames[last] ?? last,
      on = kind.on,
      needs,
      run,
    } = detailed;
    const needed = (call: Call): Need[] => [
      { permission: `${kind.permissions}.${permission}`, resource: on(call) },
      ...(needs?.(call) ?? []),
    ];
    return [`${kind.methods}.${verb}`, { needs: needed, run }];
  });
  return Object.fromEntries(methods);
}

/** Permission names that differ from their verbs. */
const permissionNames: Readonly<Record<string, string>> = { patch: "update", insert: "create" };

/** Returns a function that names the resource in a call's path. */
export function namedIn(host: string): ResourceKind["on"] {
  return (call) => `//${host}/${nameOf(call)}`;
}

/** Returns a function that names the project, whatever a call's path contains. */
export function onProject(cloud: Cloud): ResourceKind["on"] {
  return () => projectResource(cloud);
}

/** Returns the permission to act as an account, to run something or send tokens as it; empty without an account. */
export function actAs(cloud: Cloud, email: string | undefined): Need[] {
  return email ? [{ permission: "iam.serviceAccounts.actAs", resource: accountResource(cloud, email) }] : [];
}
