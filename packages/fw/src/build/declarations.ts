import type { App, DeclarationRef, Package } from "../model/app.ts";

/** A declaration as a build sees it. */
export interface Declaration {
  readonly variable: string;
  /** Index of the argument that is the application's code; absent where there is none. */
  readonly code?: number;
}

type Held = Pick<DeclarationRef, "module" | "variable">;

/** One name for a declaration of the application. */
export function keyOf({ module, variable }: Held): string {
  return `${module}#${variable}`;
}

/** Every declaration of an application, by its module. */
export function declarationsByModule({ packages }: App): ReadonlyMap<string, readonly Declaration[]> {
  const modules = new Map<string, Declaration[]>();
  for (const [{ module, variable }, code] of packages.flatMap(declarationsOf)) {
    const declaration = code === undefined ? { variable } : { variable, code };
    const known = modules.get(module);
    if (known === undefined) modules.set(module, [declaration]);
    else known.push(declaration);
  }
  return modules;
}

type Row = readonly [DeclarationRef, code?: number];

/** The handler is the first argument of a policy and a status page, the third of a cron, the second of all others. */
function declarationsOf(part: Package): readonly Row[] {
  const { endpoints, consumers = [], singletons = [], crons = [], policies = [], status } = part;
  return [
    ...[...endpoints, ...consumers, ...singletons].map(({ declaration }): Row => [declaration, 1]),
    ...crons.map(({ declaration }): Row => [declaration, 2]),
    ...policies.map(({ declaration, roles }): Row => (roles === undefined ? [declaration, 0] : [declaration])),
    ...(status === undefined ? [] : [[status, 0] as const]),
    ...inert(part).map((declaration): Row => [declaration]),
  ];
}

/** Those without code. */
function inert(part: Package): readonly DeclarationRef[] {
  const { auths = [], roles = [], secrets = [], entities = [], buckets = [], destinations = [], settings, site } = part;
  const held = [...auths, ...roles, ...secrets, ...entities, ...buckets, ...destinations, settings, site];
  return held.flatMap((each) => each?.declaration ?? []);
}
