import type { StatusClass, Threshold } from "../lib/alert-rule.ts";
import type { DeclarationKey, NamedDeclaration } from "./declaration-ref.ts";

export interface Channel extends NamedDeclaration<"channel"> {
  readonly to: ChannelTarget;
}

/** An email address, or the name of the secret that holds the webhook URL. */
export type ChannelTarget = { readonly email: string } | { readonly webhook: string };

/** An Alert declaration. Times are in milliseconds. */
export interface Alert extends NamedDeclaration<"alert"> {
  readonly condition: DeclaredCondition;
  readonly every: number;
  readonly for: number;
  readonly notify: readonly string[];
}

/** A condition as declared, which names its subjects instead of metric series. */
export type DeclaredCondition =
  | ({ readonly kind: "rate"; readonly of: Subject; readonly status?: StatusClass } & Threshold)
  | ({ readonly kind: "ratio"; readonly of: Subject; readonly status: StatusClass } & Threshold)
  | ({ readonly kind: "ratio"; readonly of: Subject; readonly to: Subject } & Threshold)
  | ({ readonly kind: "percentile"; readonly of: Subject; readonly quantile: number } & Threshold)
  | { readonly kind: "absent"; readonly of: Subject; readonly status?: StatusClass };

/** A metric by name, or an endpoint by the constant that holds it. */
export type Subject =
  | { readonly kind: "counter" | "histogram"; readonly name: string }
  | ({ readonly kind: "endpoint" } & DeclarationKey);
