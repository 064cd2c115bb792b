import type { App, DeclarationRef, Package } from "./app.ts";

/** What runs as one process when deployed. */
export interface Service {
  readonly name: string;
  readonly kind: "app" | "worker" | "subscribe" | "runner" | "singleton";
  readonly package: Package;
  /** The declarations whose code it runs for others: endpoints, crons and the status page, or the one handler. */
  readonly entries: readonly DeclarationRef[];
}

/**
 * The services of an application, by package: its app service, where it has endpoints, crons or a site, then each worker,
 * subscriber, runner and singleton.
 */
export function servicesOf({ packages }: App): readonly Service[] {
  return packages.flatMap((each) => [...appService(each), ...ownServices(each)]);
}

function appService(part: Package): readonly Service[] {
  const { endpoints, crons = [], site, status, service } = part;
  if (endpoints.length === 0 && crons.length === 0 && site === undefined) return [];
  const entries = [...endpoints, ...crons].map(({ declaration }) => declaration);
  return [
    { name: service, kind: "app", package: part, entries: status === undefined ? entries : [...entries, status] },
  ];
}

function ownServices(part: Package): readonly Service[] {
  const { consumers = [], singletons = [] } = part;
  return [
    ...consumers.map(({ kind, service, declaration }) => ({
      name: service,
      kind,
      package: part,
      entries: [declaration],
    })),
    ...singletons.map(({ service, declaration }) => ({
      name: service,
      kind: "singleton" as const,
      package: part,
      entries: [declaration],
    })),
  ];
}
