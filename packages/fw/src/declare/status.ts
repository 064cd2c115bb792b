import type { Context } from "./context.ts";
import { declared } from "./declared.ts";
import type { HTML } from "./html.ts";

/** What a status page renders. */
export interface Status {
  /** The HTTP status. */
  readonly code: number;
  /** Name of the policy that refused; "" for every refusal the framework makes on its own account. */
  readonly policy: string;
  /** What the visitor would read without a status page: the message of a handler's own refusal, or the framework's. */
  readonly message: string;
}

/** What `StatusPage` makes. */
export interface StatusPageDeclaration {
  /** Tells it from other declarations. */
  readonly kind: "status";
  /** Renders a refusal; its HTML goes out with the refusal's status. */
  readonly handler: (ctx: Context, status: Status) => HTML | Promise<HTML>;
}

/** Renders refusals as a designed page. Exported, at most one a package. */
export function StatusPage(handler: StatusPageDeclaration["handler"]): StatusPageDeclaration {
  return declared({ kind: "status", handler } as const);
}
