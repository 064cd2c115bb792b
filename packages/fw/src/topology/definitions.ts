import type { App } from "../model/app.ts";
import { allOfKind, hasSignIn } from "../model/declarations.ts";
import type { Definitions } from "../platform/contract.ts";
import { definitionsOf } from "../runtime/index.ts";

/** Derives the definitions that a platform needs from the model of an application, without running it. */
export function definitionsOfModel(app: App): Definitions {
  const { packages, indexes = [] } = app;
  const crons = allOfKind(packages, "cron");
  return definitionsOf({
    entities: allOfKind(packages, "entity").map(({ name, id, indexed }) => ({
      name,
      id,
      indexed,
      indexes: indexes.filter(({ entity }) => entity === name).map(({ fields }) => fields),
    })),
    buckets: allOfKind(packages, "bucket"),
    consumers: allOfKind(packages, "worker", "subscribe", "runner"),
    ...(hasSignIn(app) && { auth: {} }),
    ...(crons.length > 0 && { crons }),
  });
}
