import { createHash } from "node:crypto";
import { newUnfitProperty, propertyOfUnfit, type Property } from "../../definitions.ts";

const rulePrefix = "rule:";

const unfitPrefix = "unfit:";

/** Returns an index's name in the registry: `<property>`, `rule:<hash of the rules>` or `unfit:<types>:<property>`. */
export function indexName({ name, outdated, unfit }: Pick<Property, "name" | "outdated" | "unfit">): string {
  if (unfit !== undefined) return `${unfitPrefix}${unfit}:${propertyOfUnfit(name) ?? name}`;
  return outdated === undefined ? name : `${rulePrefix}${ruleName(outdated)}`;
}

/** Hashes rules to the short name that index names and documents contain. */
export function ruleName(outdated: string): string {
  return createHash("sha256").update(outdated).digest("base64url").slice(0, 16);
}

/** Returns the hashed rules in the name of an index of outdated documents; undefined for other indexes. */
export function ruleOfIndex(name: string): string | undefined {
  return name.startsWith(rulePrefix) ? name.slice(rulePrefix.length) : undefined;
}

/** Returns the unfit property (see `newUnfitProperty`) whose index has this name; undefined for any other index. */
export function unfitOfIndex(name: string): Property | undefined {
  if (!name.startsWith(unfitPrefix)) return undefined;
  const [unfit = "", ...rest] = name.slice(unfitPrefix.length).split(":");
  const property = rest.join(":");
  // `many` does not affect the values in this index.
  return newUnfitProperty({ name: property, many: true }, unfit);
}

/** Returns the property of a registered index, general enough for every version that may use it. */
export function registeredProperty(name: string): Property {
  return {
    name,
    path: name.split("."),
    many: true,
    key: false,
    unique: false,
    ruled: false,
    outdated: undefined,
    unfit: undefined,
  };
}

/** True for the name of an index of a property's own values. */
export function isOfProperty(name: string): boolean {
  return ruleOfIndex(name) === undefined && unfitOfIndex(name) === undefined;
}
