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
}

/** Who is told of alerts: `export const oncall = Channel("oncall", { email: "oncall@example.com" })`. */
export function Channel(name: string, _target: ChannelTarget): ChannelDeclaration {
  return declared({ kind: "channel", name } as const);
}
