import { recordDeclaration } from "./declaration-records.ts";
import type { SecretDeclaration } from "./secret.ts";

/** An email address, or a secret that holds the webhook URL. */
export type ChannelTarget =
  | { readonly email: string; readonly webhook?: undefined }
  | { readonly webhook: SecretDeclaration; readonly email?: undefined };

/** The result of `Channel`. */
export interface ChannelDeclaration {
  /** @internal */
  readonly kind: "channel";
  /** The name of the channel. */
  readonly name: string;
  /** @internal Undefined in a built service, which never reads it. */
  readonly config: ChannelTarget | undefined;
}

/** Declares where to send alerts: `export const oncall = Channel("oncall", { email: "oncall@example.com" })`. */
export function Channel(name: string, target: ChannelTarget): ChannelDeclaration {
  return recordDeclaration({ kind: "channel", name, config: target } as const);
}
