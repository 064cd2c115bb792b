import type { ESTree } from "rolldown/utils";
import type { Channel, ChannelTarget } from "../../model/alert.ts";
import { namedDeclaration } from "../resolution/named-declaration.ts";
import type { SettingReader } from "./config.ts";
import { readConfig, type SettingsOf } from "./config.ts";
import type { ConfigRead, Located, Reference } from "./declaration-syntax.ts";
import type { Kind } from "./kind.ts";
import { named, type ParsedNamed } from "./named.ts";
import { referenceOf } from "./reference.ts";
import { anyConstant } from "./settings.ts";
import { argumentPlace, placeOf, readText, type Source } from "./source.ts";
import type { Span } from "../../model/diagnostic.ts";

type Settings = {
  /** Whatever constant stands there: a rule says what it must be. */
  readonly email: SettingReader<unknown>;
  readonly webhook: SettingReader<NamedReference>;
};

/** A declaration that is named, with its own name where that is constant. */
export interface NamedReference {
  readonly reference: Reference;
  readonly name: string | undefined;
}

const settings: Settings = {
  email: anyConstant,
  webhook: (source, _name, node) => ({ reading: readNamed(source, node, "Secret"), faults: [] }),
};

export interface ParsedChannel extends ParsedNamed<"channel"> {
  /** Where its target stands, or should. */
  readonly at: Span;
  readonly config: ConfigRead<SettingsOf<Settings>>;
}

/** `Channel(name, { email })` or `Channel(name, { webhook: secret })`. */
export const channel: Kind<ParsedChannel, Channel> = {
  read: (source) => ({
    ...named.read(source),
    at: argumentPlace(source, 1),
    config: readConfig(source, 1, settings),
  }),
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

/** What an expression names that has to be declared by a function of fw, and what that is called. */
export function readNamed(source: Source, node: ESTree.Node, by: "Secret" | "Channel"): Located<NamedReference> {
  const { project, module } = source;
  const found = namedDeclaration(project, module, node);
  const reference = referenceOf(found, [by]);
  const isOne = found.kind === "declared" && reference.kind === "declared";
  const name = isOne ? readText({ ...found, project }, 0).value : undefined;
  return { at: placeOf(source, node), value: { reference, name } };
}
