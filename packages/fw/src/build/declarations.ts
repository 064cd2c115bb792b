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
  const modules = new Map<string, Declaration[]>();
  for (const declared of packages.flatMap(({ declarations }) => declarations)) {
    const { module, variable } = declared.declaration;
    const code = codeOf(declared);
    const declaration = code === undefined ? { variable } : { variable, code };
    const known = modules.get(module);
    if (known === undefined) modules.set(module, [declaration]);
    else known.push(declaration);
  }
  return modules;
}

/** A RequireRole has roles where a Policy has its function. */
function codeOf(declared: Declared): number | undefined {
  if (declared.kind === "policy" && declared.roles !== undefined) return undefined;
  const { handler, readStatically } = descriptionOf(declared.kind);
  return handler ?? readStatically;
}
