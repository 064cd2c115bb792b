import type { Channel, ChannelTarget } from "../../model/alert.ts";
import { type SettingReader, readConfig, type SettingsOf } from "./config.ts";
import type { ConfigRead } from "./declaration-syntax.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import { nameOnly, type ParsedNamed } from "./named.ts";
import { readNamedReference, type NamedReference } from "./reference.ts";
import { anyConstant } from "./setting-readers.ts";

type Settings = {
  /** Any constant, because a rule checks the value. */
  readonly email: SettingReader<unknown>;
  readonly webhook: SettingReader<NamedReference>;
};

const settings: Settings = {
  email: anyConstant,
  webhook: (source, _name, node) => ({ reading: readNamedReference(source, node, "Secret"), faults: [] }),
};

export interface ParsedChannel extends ParsedNamed<"channel"> {
  readonly config: ConfigRead<SettingsOf<Settings>>;
}

/** Reads `Channel(name, { email })` and `Channel(name, { webhook: secret })`. */
export const channel: DeclarationReader<ParsedChannel, Channel> = {
  read: (source) => ({ ...nameOnly.read(source), config: readConfig(source, 1, settings) }),
  model(parsed, service) {
    const model = nameOnly.model(parsed, service);
    const to = targetOf(parsed);
    return model && to && { ...model, to };
  },
};

function targetOf({ config: { settings } }: ParsedChannel): ChannelTarget | undefined {
  const { email, webhook } = settings;
  if (typeof email?.value === "string") return { email: email.value };
  return webhook?.value?.name === undefined ? undefined : { webhook: webhook.value.name };
}
