export interface ServiceConfig {
  /** A bare fully-qualified name. */
  readonly domain?: string;
  readonly profile?: "default" | "latency" | "batch";
}

export interface ServiceDeclaration {
  readonly kind: "service";
  readonly config: ServiceConfig;
  /** The declared domain in every environment; "" when none was declared. */
  domain(): string;
}

/** Settings of the whole service. One a package. */
export function Service(config: ServiceConfig = {}): ServiceDeclaration {
  return Object.freeze({ kind: "service", config, domain: () => config.domain ?? "" } as const);
}
