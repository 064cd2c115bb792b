import { grouped } from "../lib/grouped.ts";
import type { App, Declaration as Declared } from "../model/app.ts";
import { descriptionOf } from "../model/kinds.ts";

/** A declaration as a build sees it. */
export interface Declaration {
  readonly variable: string;
  /** Index of the argument that only the service has whose code it is; absent where there is none. */
  readonly code?: number;
}

/** Every declaration of an application, by its module. */
export function declarationsByModule({ packages }: App): ReadonlyMap<string, readonly Declaration[]> {
  const all = packages.flatMap(({ declarations }) => declarations);
  const modules = grouped(all, ({ declaration }) => declaration.module);
  return new Map([...modules].map(([module, declared]) => [module, declared.map(declarationOf)]));
}

function declarationOf(declared: Declared): Declaration {
  const { variable } = declared.declaration;
  const code = codeOf(declared);
  return code === undefined ? { variable } : { variable, code };
}

/** A RequireRole has roles where a Policy has its function. */
function codeOf(declared: Declared): number | undefined {
  if (declared.kind === "policy" && declared.roles !== undefined) return undefined;
  const { handler, readStatically } = descriptionOf(declared.kind);
  return handler ?? readStatically;
}
