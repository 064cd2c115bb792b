import type { App } from "../model/app.ts";
import { allOfKind, destinationsOf, endpointsOf } from "../model/declarations.ts";
import { inSourceOrder, type Span } from "../model/diagnostic.ts";
import type { Separated } from "../model/tenant.ts";
import type { Change } from "./change.ts";
import { entityChanges, messageChanges, separationChanges } from "./data-changes.ts";
import { endpointChanges, sessionChanges } from "./client-changes.ts";
import { indexChanges } from "./index-changes.ts";
import { recordedSchema, separatedResources, type RecordedSchema, type SeparatedResource } from "./recorded.ts";

/** Returns the differences between a recorded version and an application, in source order. */
export function compareVersions(before: RecordedSchema, app: App): readonly Change[] {
  return compareSchemas(before, recordedSchema(app), placesOf(app));
}

/** Returns the differences between two recorded versions; `places` locates the declarations of the newer one. */
export function compareSchemas(
  before: RecordedSchema,
  after: RecordedSchema,
  places: ReadonlyMap<string, Span> = new Map(),
): readonly Change[] {
  const at = (key: string): Span => places.get(key) ?? nowhere;
  const versions = { before, after };
  return [
    ...both(before.entities, after.entities).flatMap(([name, old, now]) => [
      ...entityChanges({ ...versions, name, at: at(`entity ${name}`) }, old, now),
      ...indexChanges({ ...versions, name, at: at(`entity ${name}`) }, old, now),
    ]),
    ...both(before.messages, after.messages).flatMap(([name, old, now]) =>
      messageChanges({ ...versions, name, at: at(name) }, old, now),
    ),
    ...both(separatedBefore(before), after.separated ?? {}).flatMap(([key, old, now]) => {
      const [kind, name = ""] = key.split(" ");
      return separationChanges({ kind: kind as SeparatedResource, name, at: at(key) }, old, now);
    }),
    ...both(before.endpoints, after.endpoints).flatMap(([name, old, now]) =>
      endpointChanges({ ...versions, name, at: at(name) }, old, now),
    ),
    ...removedChanges(before, after),
    ...sessionChanges({ ...versions, name: "", at: at("auth") }),
  ].toSorted((a, b) => inSourceOrder(a.at, b.at));
}

/** The location of changes to removed declarations. */
const nowhere: Span = { path: "package.json", line: 1, column: 1, endLine: 1, endColumn: 2 };

function both<T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
): readonly (readonly [name: string, old: T, now: T | undefined])[] {
  return Object.entries(before).map(([name, old]) => [name, old, after[name]]);
}

/** Returns a record's tenants. An older record lists none, so its buckets have no tenant. */
function separatedBefore({ buckets, separated }: RecordedSchema): Readonly<Record<string, Separated>> {
  return { ...Object.fromEntries(buckets.map((name) => [`bucket ${name}`, {}])), ...separated };
}

function removedChanges(before: RecordedSchema, after: RecordedSchema): readonly Change[] {
  return before.buckets
    .filter((name) => !after.buckets.includes(name))
    .map((name) => ({
      rule: "evolve-removed",
      verdict: "decision",
      at: nowhere,
      message: `the bucket "${name}" is gone: its objects stay, and no code reads them`,
      before: `Bucket("${name}")`,
      after: "",
      hint: "keep the declaration until its objects are deleted or copied",
      removed: `bucket ${name}`,
    }));
}

/** Returns the locations of declarations, by their keys in a record. */
function placesOf({ packages }: App): ReadonlyMap<string, Span> {
  return new Map([
    ...allOfKind(packages, "entity").map(({ name, declaration }) => [`entity ${name}`, declaration.at] as const),
    ...packages
      .flatMap(destinationsOf)
      .map(({ kind, name, declaration }) => [`${kind} ${name}`, declaration.at] as const),
    ...separatedResources
      .flatMap((kind) => allOfKind(packages, kind))
      .map(({ kind, name, declaration }) => [`${kind} ${name}`, declaration.at] as const),
    ...packages.flatMap(endpointsOf).map(({ route, declaration }) => [route.pattern, declaration.at] as const),
    ...allOfKind(packages, "auth").map(({ declaration }) => ["auth", declaration.at] as const),
  ]);
}
