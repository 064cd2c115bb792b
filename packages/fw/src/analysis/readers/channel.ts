import type { Channel, ChannelTarget } from "../../model/alert.ts";
import type { SettingReader } from "./config.ts";
import { readConfig, type SettingsOf } from "./config.ts";
import type { ConfigRead } from "./declaration-syntax.ts";
import type { Kind } from "./kind.ts";
import { named, type ParsedNamed } from "./named.ts";
import { readNamed, type NamedReference } from "./reference.ts";
import { anyConstant } from "./setting-readers.ts";

type Settings = {
  /** Whatever constant stands there: a rule says what it must be. */
  readonly email: SettingReader<unknown>;
  readonly webhook: SettingReader<NamedReference>;
};

const settings: Settings = {
  email: anyConstant,
  webhook: (source, _name, node) => ({ reading: readNamed(source, node, "Secret"), faults: [] }),
};

export interface ParsedChannel extends ParsedNamed<"channel"> {
  readonly config: ConfigRead<SettingsOf<Settings>>;
}

/** `Channel(name, { email })` or `Channel(name, { webhook: secret })`. */
export const channel: Kind<ParsedChannel, Channel> = {
  read: (source) => ({ ...named.read(source), config: readConfig(source, 1, settings) }),
  model(parsed, service) {
    const whole = named.model(parsed, service);
    const to = targetOf(parsed);
    return whole && to && { ...whole, to };
  },
};

function targetOf({ config: { settings } }: ParsedChannel): ChannelTarget | undefined {
  const { email, webhook } = settings;
  if (typeof email?.value === "string") return { email: email.value };
  return webhook?.value?.name === undefined ? undefined : { webhook: webhook.value.name };
}
