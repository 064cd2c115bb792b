import { param, type Call, type Method, type Needed } from "./api.ts";
import type { Cloud } from "./cloud.ts";
import { accountResource, projectResource } from "./iam/resources.ts";

/** The resources of one kind: what their methods and permissions begin with, and what their grants are on. */
export interface ResourceKind {
  /** `cloudtasks.projects.locations.queues` */
  readonly methods: string;
  /** `cloudtasks.queues` */
  readonly permissions: string;
  /** The resource that a call is about, as grants name it. */
  readonly on: (call: Call) => string;
  /** Verbs whose permissions are called otherwise than those of most kinds. */
  readonly permissionNames?: Readonly<Record<string, string>>;
}

/** A method of a kind: what it does, where its permission is called as it is, and is needed on what the call is about. */
export type Verb = Method["run"] | DetailedVerb;

interface DetailedVerb {
  /** Without what permissions of the kind begin with. */
  readonly permission?: string;
  readonly on?: ResourceKind["on"];
  /** What is needed besides. */
  readonly needs?: (call: Call) => readonly Needed[];
  readonly run: Method["run"];
}

/**
 * The methods of a kind by their verbs: `{ get: … }` is the method `<methods>.get`, for which `<permissions>.get` is needed, and so for
 * `{ "fields.get": … }`.
 */
export function methodsOf(kind: ResourceKind, verbs: Readonly<Record<string, Verb>>): Readonly<Record<string, Method>> {
  const methods = Object.entries(verbs).map(([verb, given]): [string, Method] => {
    const detailed = typeof given === "function" ? { run: given } : given;
    const [last = ""] = verb.split(".").slice(-1);
    const {
      permission = kind.permissionNames?.[verb] ?? permissionNames[last] ?? last,
      on = kind.on,
      needs,
      run,
    } = detailed;
    const needed = (call: Call): Needed[] => [
      { permission: `${kind.permissions}.${permission}`, resource: on(call) },
      ...(needs?.(call) ?? []),
    ];
    return [`${kind.methods}.${verb}`, { needs: needed, run }];
  });
  return Object.fromEntries(methods);
}

/** What verbs are called as permissions that are called otherwise. */
const permissionNames: Readonly<Record<string, string>> = { patch: "update", insert: "create" };

/** What a path names, as a resource of an API. */
export function namedIn(host: string): ResourceKind["on"] {
  return (call) => `//${host}/${nameOf(call)}`;
}

/** The project, whatever a path names. */
export function onProject(cloud: Cloud): ResourceKind["on"] {
  return () => projectResource(cloud);
}

/** What a path names, whatever its description calls that: most paths have one name. */
export function nameOf(call: Pick<Call, "params">): string {
  return param(call, Object.keys(call.params)[0] ?? "");
}

/** The last part of a resource's full name. */
export function shortName(name: string): string {
  return name.split("/").at(-1) ?? "";
}

/** Who has something run as an account, or send its tokens, must be allowed to act as it. */
export function actAs(cloud: Cloud, email: string | undefined): Needed[] {
  return email ? [{ permission: "iam.serviceAccounts.actAs", resource: accountResource(cloud, email) }] : [];
}
