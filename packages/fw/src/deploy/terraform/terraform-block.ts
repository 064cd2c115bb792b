import { isFields, type Fields, type Value } from "../fields.ts";
import { MapValue, type Body, type BodyValue } from "./hcl.ts";

/** A resource or data source of Terraform's `google` provider. */
export interface TerraformBlock {
  /** For example `google_pubsub_topic`. */
  readonly type: string;
  /** Distinguishes the block from other blocks of the same resource. */
  readonly part?: string;
  readonly body: Body;
  readonly isData?: true;
  /**
   * The placeholders that this block provides. Each has a function from the block's address to a Terraform expression.
   */
  readonly placeholders?: Readonly<Record<string, (address: string) => string>>;
}

/** API fields whose values are maps with arbitrary keys. */
const maps: ReadonlySet<string> = new Set(["labels", "userLabels", "limits"]);

/** Converts fields of Google's API to the provider's names, which are in snake case. */
export function bodyOf(fields: Fields): Body {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [snake(name), valueOf(value, maps.has(name))]),
  );
}

function valueOf(value: Value, isMap: boolean): BodyValue {
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    const all = value as readonly Value[];
    return all.some(isFields) ? all.filter(isFields).map(bodyOf) : (all as readonly string[]);
  }
  if (!isFields(value)) return value as string | number | boolean;
  return isMap ? new MapValue(value as Readonly<Record<string, string>>) : bodyOf(value);
}

/** Converts `pushConfig` to `push_config`. */
export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}
