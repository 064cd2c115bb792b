import type { Use } from "../model/uses.ts";

/**
 * What a service may do with a resource. Those of the application are the uses of its code (`model/operations.ts`); an
 * event and a lease, `signIn` and `testUser` of users, are what the framework itself does.
 */
export interface Grant {
  readonly kind: Use["kind"] | "event" | "lease";
  /** The resource's name; of users "", of a lease its name up to the first space. */
  readonly name: string;
  readonly operation: string;
}

/** One thing that a service asks of the platform. */
export interface Ask {
  readonly kind: Grant["kind"];
  readonly name: string;
  /** One of those that `asks` lists for the kind. */
  readonly asks: string;
}

/** What each granted operation may ask of the platform. */
const asks: Readonly<Record<Grant["kind"], Readonly<Record<string, readonly string[]>>>> = {
  entity: {
    create: ["insert"],
    delete: ["delete"],
    find: ["get"],
    get: ["get"],
    put: ["upsert"],
    query: ["query", "count"],
    update: ["get", "update"],
  },
  bucket: {
    delete: ["delete"],
    exists: ["find"],
    get: ["open"],
    list: ["list"],
    put: ["put"],
    signedGet: ["sign GET"],
    signedPut: ["sign PUT"],
  },
  queue: { send: ["send"] },
  topic: { publish: ["send"] },
  job: { start: ["send"] },
  event: { send: ["send"] },
  lease: { hold: ["hold"] },
  users: {
    byEmail: ["byEmail"],
    create: ["create"],
    delete: ["setDisabled", "delete"],
    disable: ["setDisabled"],
    enable: ["setDisabled"],
    get: ["get"],
    grant: ["get", "setClaims"],
    list: ["list"],
    revoke: ["get", "setClaims"],
    signIn: ["checkPassword", "verifyToken"],
    testUser: ["testUser"],
  },
  secret: {},
  endpoint: {},
};

/** Whether one of the grants covers what is asked. */
export function isGranted(grants: readonly Grant[], asked: Ask): boolean {
  return grants.some(
    ({ kind, name, operation }) =>
      kind === asked.kind && name === asked.name && asks[kind][operation]?.includes(asked.asks) === true,
  );
}
