import { deliveryConcurrency } from "../lib/limits.ts";
import type { Definitions, KindDefinition } from "../platform/contract.ts";
import type { Receiver } from "../platform/messages.ts";
import { authKinds } from "./auth/kinds.ts";
import { cronKinds } from "./background/kinds.ts";
import type { Bundle, BundledEntity, BundledReceiver } from "./bundle.ts";

/** The parts of a bundle that a platform is for. */
type Kept = Pick<Bundle, "entities" | "auth" | "buckets" | "carriers" | "receivers" | "crons" | "singletons">;

/** What a platform has to know of an application before it keeps its data. */
export function definitionsOf({ entities, auth, crons, receivers, buckets }: Kept): Definitions {
  return {
    kinds: [...(entities ?? []).map(kindOf), ...(auth ? authKinds : []), ...(crons ? cronKinds : [])],
    receivers: (receivers ?? []).map(receiverOf),
    buckets: (buckets ?? []).map(({ name }) => name),
  };
}

/** Whether the application keeps anything, sends anything or works in the background. */
export function needsPlatform({ entities, auth, buckets, carriers, receivers, crons, singletons }: Kept): boolean {
  return [entities, auth, buckets, carriers, receivers, crons, singletons].some((part) => part !== undefined);
}

function kindOf({ name, indexed, indexes }: BundledEntity): KindDefinition {
  return {
    kind: name,
    properties: indexed.map((field) => (field.many ? { name: field.name, many: true } : { name: field.name })),
    composites: indexes.map((fields) => ({
      properties: fields.map(({ field, direction }) => ({ property: field, direction })),
    })),
  };
}

function receiverOf({ service, source, delivery }: BundledReceiver): Receiver {
  return { id: service, carrier: source, delivery: { ...delivery, concurrency: deliveryConcurrency } };
}
