import { createHash } from "node:crypto";
import { newUnfitProperty, propertyOfUnfit, type Property } from "../../definitions.ts";

const rulePrefix = "rule:";

const unfitPrefix = "unfit:";

/** The name of an index in the registry: that of its property, or one for the text of rules or of types. */
export function indexName({ name, outdated, unfit }: Pick<Property, "name" | "outdated" | "unfit">): string {
  if (unfit !== undefined) return `${unfitPrefix}${unfit}:${propertyOfUnfit(name) ?? name}`;
  return outdated === undefined ? name : `${rulePrefix}${ruleName(outdated)}`;
}

/** The value by which documents name the rules for which they are outdated. */
export function ruleName(outdated: string): string {
  return createHash("sha256").update(outdated).digest("base64url").slice(0, 16);
}

/** The name of a rule, if the index is one of outdated documents. */
export function ruleOfIndex(name: string): string | undefined {
  return name.startsWith(rulePrefix) ? name.slice(rulePrefix.length) : undefined;
}

/** The property of an index of documents that do not fit its types; undefined for another index. */
export function unfitOfIndex(name: string): Property | undefined {
  if (!name.startsWith(unfitPrefix)) return undefined;
  const [unfit = "", ...rest] = name.slice(unfitPrefix.length).split(":");
  const property = rest.join(":");
  // Whether a list is indexed by its elements makes no difference to those of its types.
  return newUnfitProperty({ name: property, many: true }, unfit);
}

/** The property of a registered index, as any version may use it. */
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

/** True for the index of a property's values. */
export function isOfProperty(name: string): boolean {
  return ruleOfIndex(name) === undefined && unfitOfIndex(name) === undefined;
}
