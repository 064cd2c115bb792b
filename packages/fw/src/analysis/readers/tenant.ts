import type { Separated, Tenant } from "../../model/tenant.ts";
import { isText, readConstant, spanIn, type CallSource } from "./source.ts";
import { readConfig, type SettingReader } from "./config.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import type { ConfigRead, Located } from "./declaration-syntax.ts";
import type { EndpointTypes } from "./endpoint.ts";
import { nameOnly, type ParsedNamed } from "./named.ts";
import { readNamedReference, type NamedReference } from "./reference.ts";

export interface ParsedTenant extends ParsedNamed<"tenant"> {
  /** The request type of the membership function, once it is read. The type of its result is not read. */
  readonly types?: EndpointTypes;
}

export const tenant: DeclarationReader<ParsedTenant, Tenant> = {
  read: (source) => nameOnly.read(source),
  model(parsed, service) {
    const model = nameOnly.model(parsed, service);
    const [field, ...others] = parsed.types?.request.shape.bound ?? [];
    return model && field && others.length === 0 ? { ...model, field: field.property } : undefined;
  },
};

/** The `tenant` setting of data: shared, or a reference to a Tenant. */
export type ParsedTenancy = "shared" | NamedReference;

/** Reads `tenant: orgs` or `tenant: "shared"`. A rule reports other values. */
export const tenancy: SettingReader<ParsedTenancy> = (source, _name, node) => {
  const constant = readConstant(source, node, isText);
  if (constant.value === "shared") return { reading: { at: spanIn(source, node), value: "shared" }, faults: [] };
  return { reading: readNamedReference(source, node, "Tenant"), faults: [] };
};

/** Returns the name of the Tenant that separates the data; undefined for shared data. */
export function tenantsOf(setting: { readonly value?: ParsedTenancy | undefined } | undefined): string | undefined {
  return typeof setting?.value === "object" ? setting.value.name : undefined;
}

/** The last argument of a declaration whose only setting is `tenant`. */
export interface ParsedSeparation {
  readonly config: ConfigRead<{ readonly tenant?: Located<ParsedTenancy> }>;
}

/** Reads `{ tenant: orgs }` as the argument at `index`. */
export function readTenancy(source: CallSource, index: number): ParsedSeparation {
  return { config: readConfig(source, index, { tenant: tenancy }) };
}

export function separatedModel(setting: { readonly value?: ParsedTenancy | undefined } | undefined): Separated {
  const tenant = tenantsOf(setting);
  return tenant === undefined ? {} : { tenant };
}
