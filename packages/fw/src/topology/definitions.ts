import type { App } from "../model/app.ts";
import {
  allOfKind,
  destinationsOf,
  hasAccountPages,
  hasLivePages,
  hasOncePages,
  hasSignIn,
  recordedJobs,
} from "../model/declarations.ts";
import { withRules } from "../model/evolution.ts";
import type { Definitions } from "../platform/contract.ts";
import { definitionsOf } from "../runtime/index.ts";

/** Derives the definitions that a platform needs from an application's model, without running the application. */
export function definitionsOfModel(app: App): Definitions {
  const { packages, types, indexes = [] } = app;
  const crons = allOfKind(packages, "cron");
  const limits = allOfKind(packages, "limit");
  const feeds = allOfKind(packages, "feed");
  return definitionsOf({
    entities: allOfKind(packages, "entity").map((entity) => ({
      name: entity.name,
      id: entity.id,
      indexed: withRules(entity, types),
      indexes: indexes.filter((index) => index.entity === entity.name).map(({ fields }) => fields),
    })),
    buckets: allOfKind(packages, "bucket"),
    destinations: packages.flatMap(destinationsOf),
    consumers: allOfKind(packages, "worker", "subscribe", "runner"),
    ...(hasSignIn(app) && { auth: hasAccountPages(app) ? { account: true } : {} }),
    ...(crons.length > 0 && { crons }),
    ...(limits.length > 0 && { limits }),
    ...(feeds.length > 0 && { feeds }),
    ...(packages.some(hasOncePages) && { submits: true as const }),
    ...(recordedJobs(packages).length > 0 && { recordsRuns: true as const }),
    ...(packages.some(hasLivePages) && { followsPages: true as const }),
  });
}
