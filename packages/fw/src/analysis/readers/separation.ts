import type { WrittenSettings } from "../../lib/written-settings.ts";
import { hasDescription, type KindWith } from "../../model/kinds.ts";
import type { Located } from "./declaration-syntax.ts";
import type { Parsed, ParsedOf } from "./parsed.ts";
import { separatedModel, type ParsedTenancy } from "./tenant.ts";

/** A declaration whose data can be separate for each tenant. */
export type ParsedSeparable = ParsedOf<KindWith<"perTenant">>;

export function isSeparable(read: Parsed): read is ParsedSeparable {
  return read.kind !== "misplaced" && hasDescription(read.kind, "perTenant");
}

export function tenantSettingOf(read: ParsedSeparable): Located<ParsedTenancy> | undefined {
  return "rules" in read ? read.rules.tenant : read.config.settings.tenant;
}

/** Returns the `tenant` setting as in a run-time record: the name of the Tenant, or nothing for shared data. */
export function separationSettings(read: ParsedSeparable): WrittenSettings {
  return { ...separatedModel(tenantSettingOf(read)) };
}
