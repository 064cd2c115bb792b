import type { Singleton } from "../../model/background.ts";
import { readConfig, type SettingsOf } from "./config.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import { nameOnly, type ParsedNamed } from "./named.ts";
import type { ConfigRead } from "./declaration-syntax.ts";
import { pinsModel, scaling, traffic, type ScalingSettings } from "./scaling.ts";
import { serviceName } from "./service-name.ts";
import { anyConstant, group } from "./setting-readers.ts";

export interface ParsedSingleton extends ParsedNamed<"singleton"> {
  readonly config: ConfigRead<SettingsOf<ScalingSettings>>;
}

/** A non-constant maxInstances is accepted here, because singleton-max refuses the setting itself. */
const settings: ScalingSettings = { ...scaling, traffic: group({ ...traffic, maxInstances: anyConstant }) };

export const singleton: DeclarationReader<ParsedSingleton, Singleton> = {
  read: (source) => ({ ...nameOnly.read(source), config: readConfig(source, 2, settings) }),
  model(parsed, service) {
    const model = nameOnly.model(parsed, service);
    const pins = pinsModel(parsed.config.settings);
    return model && { ...model, service: serviceName(service, parsed.declaration), ...pins };
  },
};
