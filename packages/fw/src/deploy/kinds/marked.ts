import { labelsOf, markOf } from "../../platform/gcp/names.ts";
import { fieldsOf, isFields, textOf, type Fields } from "../fields.ts";
import type { DeployPlace } from "../place.ts";

/** True for a resource whose labels say that it belongs to the application in its environment. */
export function hasLabels(live: Fields, place: DeployPlace, under = "labels"): boolean {
  const labels = live[under];
  if (!isFields(labels)) return false;
  return Object.entries(labelsOf(place)).every(([name, value]) => labels[name] === value);
}

/** The labels of a spec among those that others have given to the resource. */
export function labelled(spec: Fields, live: Fields, under = "labels"): Fields {
  return { ...fieldsOf(live[under]), ...fieldsOf(spec[under]) };
}

/** The names of those whose labels say that they are the application's. */
export function named(items: readonly Fields[], place: DeployPlace): readonly string[] {
  return items.filter((live) => hasLabels(live, place)).map(({ name }) => textOf(name));
}

/** True for a resource without labels whose description begins with the mark of the application and environment. */
export function isDescribed({ description }: Fields, place: DeployPlace): boolean {
  return textOf(description).split(" ")[0] === markOf(place);
}
