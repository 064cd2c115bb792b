import type { App, Package } from "../../model/app.ts";
import type { Definitions } from "../../platform/contract.ts";
import { definitionsOf } from "../../runtime/index.ts";

/** What a platform has to know of an application, from its model: without running it. */
export function definitionsOfModel({ packages, indexes = [] }: App): Definitions {
  const all = <T>(part: (each: Package) => readonly T[] | undefined): readonly T[] =>
    packages.flatMap((each) => part(each) ?? []);
  const crons = all((each) => each.crons);
  const [auth] = all((each) => each.auths);
  return definitionsOf({
    entities: all((each) => each.entities).map(({ name, indexed }) => ({
      name,
      indexed,
      indexes: indexes.filter(({ entity }) => entity === name).map(({ fields }) => fields),
    })),
    buckets: all((each) => each.buckets),
    consumers: all((each) => each.consumers),
    ...(auth && { auth }),
    ...(crons.length > 0 && { crons }),
  });
}
