import { recordDeclaration } from "./declaration-records.ts";
import type { Scaling } from "./scaling.ts";

/** Settings of a service, written as a literal. */
export interface ServiceConfig extends Scaling {
  /** A fully qualified host name, without scheme, port or path. */
  readonly domain?: string;
  /**
   * Origins allowed by CORS, exactly as browsers send them: `["https://app.example.com"]`. `"*"` allows every origin,
   * but without cookies.
   */
  readonly origins?: "*" | readonly string[];
  /** If true, requests from `origins` may use the session cookie. */
  readonly credentials?: boolean;
}

/** The result of `Service`. */
export interface ServiceDeclaration {
  /** The kind of declaration. */
  readonly kind: "service";
  /** The settings, as written. */
  readonly config: ServiceConfig;
  /** The declared domain, the same in every environment; "" if none is declared. */
  domain(): string;
}

/** Declares settings for the package's service. At most one per package. */
export function Service(config: ServiceConfig = {}): ServiceDeclaration {
  return recordDeclaration({ kind: "service", config, domain: () => config.domain ?? "" } as const);
}
