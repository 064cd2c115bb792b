import { declared } from "./declared.ts";
import type { Scaling } from "./scaling.ts";

/** Settings of a service, written as a literal. */
export interface ServiceConfig extends Scaling {
  /** A bare fully-qualified name. */
  readonly domain?: string;
  /**
   * Other origins whose pages may call the APIs, exactly as browsers name them: `["https://app.example.com"]`. `"*"` lets every
   * page call them, without cookies.
   */
  readonly origins?: "*" | readonly string[];
  /** True: calls from `origins` may carry the session's cookie. */
  readonly credentials?: boolean;
}

/** What `Service` makes. */
export interface ServiceDeclaration {
  /** Tells it from other declarations. */
  readonly kind: "service";
  /** The settings as they were written. */
  readonly config: ServiceConfig;
  /** The declared domain in every environment; "" when none was declared. */
  domain(): string;
}

/** Settings of the whole service. One a package. */
export function Service(config: ServiceConfig = {}): ServiceDeclaration {
  return declared({ kind: "service", config, domain: () => config.domain ?? "" } as const);
}
