import type { Singleton } from "../../model/background.ts";
import { readConfig, type SettingsOf } from "./config.ts";
import type { Kind } from "./kind.ts";
import { named, type ParsedNamed } from "./named.ts";
import type { ConfigRead } from "./declaration-syntax.ts";
import { pinsModel, scaling, traffic, type ScalingSettings } from "./scaling.ts";
import { serviceName } from "./service-name.ts";
import { anyConstant, group } from "./setting-readers.ts";

export interface ParsedSingleton extends ParsedNamed<"singleton"> {
  readonly config: ConfigRead<SettingsOf<ScalingSettings>>;
}

/** That maxInstances is no constant does not matter where there is none. */
const settings: ScalingSettings = { ...scaling, traffic: group({ ...traffic, maxInstances: anyConstant }) };

/** `Singleton(name, body, config)`. */
export const singleton: Kind<ParsedSingleton, Singleton> = {
  read: (source) => ({ ...named.read(source), config: readConfig(source, 2, settings) }),
  model(parsed, service) {
    const whole = named.model(parsed, service);
    const pins = pinsModel(parsed.config.settings);
    return whole && { ...whole, service: serviceName(service, parsed.declaration), ...pins };
  },
};
