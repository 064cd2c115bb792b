import { declared } from "./declared.ts";
import type { SecretDeclaration } from "./secret.ts";

/** An address, or a secret that holds the URL to post to. */
export type ChannelTarget =
  | { readonly email: string; readonly webhook?: undefined }
  | { readonly webhook: SecretDeclaration; readonly email?: undefined };

/** What `Channel` makes. */
export interface ChannelDeclaration {
  /** @internal */
  readonly kind: "channel";
  /** Its name. */
  readonly name: string;
  /** @internal A service goes without: nothing reads it when it runs. */
  readonly config: ChannelTarget | undefined;
}

/** Who is told of alerts: `export const oncall = Channel("oncall", { email: "oncall@example.com" })`. */
export function Channel(name: string, target: ChannelTarget): ChannelDeclaration {
  return declared({ kind: "channel", name, config: target } as const);
}
