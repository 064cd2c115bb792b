import { labelsOf, markOf } from "../../platform/gcp/names.ts";
import { fieldsOf, isFields, textOf, type Fields } from "../fields.ts";
import type { DeployPlace } from "../deploy-place.ts";

/** True if the labels mark the resource as the application's in its environment. */
export function hasLabels(live: Fields, place: DeployPlace, under = "labels"): boolean {
  const labels = live[under];
  if (!isFields(labels)) return false;
  return Object.entries(labelsOf(place)).every(([name, value]) => labels[name] === value);
}

/** Adds a spec's labels to the live labels, which other tools may have set. */
export function mergeLabels(spec: Fields, live: Fields, under = "labels"): Fields {
  return { ...fieldsOf(live[under]), ...fieldsOf(spec[under]) };
}

/** Returns the names of resources marked as the application's. */
export function markedNames(items: readonly Fields[], place: DeployPlace): readonly string[] {
  return items.filter((live) => hasLabels(live, place)).map(({ name }) => textOf(name));
}

/** True if the description marks the resource as the application's, for kinds without labels. */
export function isDescribed({ description }: Fields, place: DeployPlace): boolean {
  return textOf(description).split(" ")[0] === markOf(place);
}
