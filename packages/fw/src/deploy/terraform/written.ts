import { isFields, type Fields, type Value } from "../fields.ts";
import { MapValue, type Body, type BodyValue } from "./hcl.ts";

/** A resource, or a look at one that people have made, as the provider `google` of Terraform has it. */
export interface Written {
  /** `google_pubsub_topic` */
  readonly type: string;
  /** What tells it from others that the same resource of a deploy is written as. */
  readonly part?: string;
  readonly body: Body;
  /** It is looked up, and not made. */
  readonly isData?: true;
  /** What it knows that stands as a placeholder in other resources, as an expression with its address. */
  readonly placeholders?: Readonly<Record<string, (address: string) => string>>;
}

/** Names of the API under which there is a map of names that are not the API's. */
const maps: ReadonlySet<string> = new Set(["labels", "userLabels", "limits"]);

/** Fields of Google's API in the words of the provider, which are the same with underscores. */
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

/** `pushConfig` as `push_config`. */
export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}
