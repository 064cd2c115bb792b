import { labelsOf } from "../../platform/gcp/names.ts";
import { isFields, type Fields } from "../fields.ts";
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
export function named(items: readonly Fields[], place: DeployPlace, under = "labels"): readonly string[] {
  return items.filter((live) => hasLabels(live, place, under)).map(({ name }) => textOf(name));
}

/** True for a description that begins with the mark of the application and environment. */
export function isMarkedText(description: Fields[string] | undefined, mark: string): boolean {
  return textOf(description).split(" ")[0] === mark;
}

/** "" for what is no text. */
export function textOf(value: Fields[string] | undefined): string {
  return typeof value === "string" ? value : "";
}

export function fieldsOf(value: Fields[string] | undefined): Fields {
  return isFields(value) ? value : {};
}
