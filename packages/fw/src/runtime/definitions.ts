import { deliveryConcurrency } from "../lib/limits.ts";
import type { Definitions, KindDefinition } from "../platform/contract.ts";
import { rulesText } from "../lib/derived-indexes.ts";
import { useTerms } from "../platform/search-terms.ts";
import { outdatedProperty } from "../platform/definitions.ts";
import type { Consumer } from "../platform/messages.ts";
import { accountKinds } from "./auth/account/kinds.ts";
import { authKinds, sessionKind } from "./auth/kinds.ts";
import { cronKinds, messageKeyKinds, runKinds } from "./background/kinds.ts";
import type { BundledEntity, BundledConsumer, Bundle } from "./bundle.ts";
import {
  usesAccounts,
  usesFeeds,
  usesJobHistory,
  usesLive,
  usesMessageKeys,
  usesOnce,
  usesSearch,
} from "./capabilities.ts";
import { feedKinds } from "./feed/kinds.ts";
import { limitKinds } from "./limit/kinds.ts";
import { submitKinds } from "./submit/kinds.ts";

/** The parts of a bundle or a model that need a platform. */
interface StoredParts extends Pick<Bundle, "submits" | "followsPages" | "recordsRuns"> {
  readonly entities?: readonly Pick<BundledEntity, "name" | "id" | "indexed" | "indexes">[];
  readonly buckets?: readonly { readonly name: string }[];
  readonly consumers?: readonly Pick<BundledConsumer, "service" | "source" | "delivery">[];
  readonly auth?: { readonly account?: true };
  readonly crons?: object;
  readonly limits?: object;
  readonly feeds?: object;
  readonly destinations?: readonly { readonly kind: string }[];
}

/** Returns the definitions that a platform needs to store an application's data. */
export function definitionsOf(parts: StoredParts): Definitions {
  if (usesSearch) useTerms();
  const { entities, auth, crons, limits, feeds, submits, consumers, buckets } = parts;
  const notifying = usesLive && parts.followsPages ? withNotifications : (kind: KindDefinition): KindDefinition => kind;
  return {
    kinds: [
      ...(entities ?? []).map((entity) => notifying(kindOf(entity))),
      ...(auth ? authKinds.map(notifying) : []),
      ...(usesAccounts && auth?.account ? accountKinds : []),
      ...(crons ? cronKinds : []),
      ...(limits || (usesAccounts && auth?.account) ? limitKinds : []),
      ...(usesFeeds && feeds ? feedKinds : []),
      ...(usesOnce && submits ? submitKinds : []),
      ...(usesJobHistory && parts.recordsRuns ? runKinds : []),
      ...(usesMessageKeys && hasQueue(parts) ? messageKeyKinds : []),
    ],
    consumers: (consumers ?? []).map(consumerOf),
    buckets: (buckets ?? []).map(({ name }) => name),
  };
}

function hasQueue({ consumers = [], destinations = [] }: StoredParts): boolean {
  return [...destinations, ...consumers.map(({ source }) => source)].some(({ kind }) => kind === "queue");
}

/** Enables notifications for everything a live page can read: entities, and the user's session. */
function withNotifications(kind: KindDefinition): KindDefinition {
  return kind.framework === true && kind.kind !== sessionKind ? kind : { ...kind, notifies: true };
}

function kindOf({
  name,
  id,
  indexed,
  indexes,
}: Pick<BundledEntity, "name" | "id" | "indexed" | "indexes">): KindDefinition {
  return {
    kind: name,
    properties: [
      ...indexed.map((field) => ({
        name: field.name,
        ...(field.many && ({ many: true } as const)),
        ...(field.name === id && ({ key: true } as const)),
        ...(field.unique && field.name !== id && ({ unique: true } as const)),
        ...(field.rule !== undefined && ({ ruled: true } as const)),
        ...(field.type !== undefined && { type: field.type }),
      })),
      ...outdatedIndex(indexed),
    ],
    composites: indexes.map((fields) => ({
      properties: fields.map(({ field, direction }) => ({ property: field, direction })),
    })),
  };
}

/** Returns the index of documents written before the current migration rules; none if no index depends on a rule. */
function outdatedIndex(indexed: BundledEntity["indexed"]): KindDefinition["properties"] {
  const outdated = rulesText(indexed);
  return outdated === undefined ? [] : [{ name: outdatedProperty, outdated }];
}

function consumerOf({ service, source, delivery }: Pick<BundledConsumer, "service" | "source" | "delivery">): Consumer {
  return { id: service, destination: source, delivery: { ...delivery, concurrency: deliveryConcurrency } };
}
