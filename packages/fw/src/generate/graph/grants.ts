import type { App } from "../../model/app.ts";
import { lineOf } from "../../model/diagnostic.ts";
import { frameworkUses, type FrameworkUse } from "../../model/framework-uses.ts";
import { grantsOf, type Grant } from "../../model/grants.ts";
import { servicesOf, type Service } from "../../model/services.ts";
import type { EntryUses } from "../../model/uses.ts";

/** The output of `fw gen graph --grants` as plain JSON: the permissions of each service. */
export interface GrantsGraph {
  readonly app: string;
  readonly services: readonly GraphGrants[];
}

interface GraphGrants {
  readonly name: string;
  readonly kind: Service["kind"];
  readonly grants: readonly GraphGrant[];
  /** The permissions that the framework itself needs. */
  readonly framework: readonly FrameworkUse[];
}

/** A grant with the `module:line` of the first code that needs it. */
export type GraphGrant = Omit<Grant, "at"> & { readonly at: string };

export function grantsGraph(app: App, uses: readonly EntryUses[]): GrantsGraph {
  return {
    app: app.name,
    services: servicesOf(app).map((service) => {
      const grants = grantsOf(service, uses);
      const { name, kind } = service;
      return { name, kind, grants: grants.map(printedGrant), framework: frameworkUses(app, service, uses) };
    }),
  };
}

/** Formats a grant with its location as text. */
export function printedGrant({ at, ...grant }: Grant): GraphGrant {
  return { ...grant, at: lineOf(at) };
}

/** Formats the grants: a paragraph for each service, a line for each resource. */
export function grantsText({ services }: GrantsGraph): string {
  const parts = services.map(({ name, kind, grants, framework }) => [
    kind === "app" ? name : `${name}  (${kind})`,
    ...(grants.length === 0 ? ["  nothing"] : grants.map(grantLine)),
    ...framework.map((use) => `  fw: ${operationsText(use)}`),
  ]);
  return parts.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

function grantLine(grant: GraphGrant): string {
  const role = grant.role === undefined ? "" : `, the identity ${grant.role} role`;
  return `  ${operationsText(grant)} (${grant.at})${role}`;
}

function operationsText({ kind, name, operations }: GraphGrant | FrameworkUse): string {
  return `${name === "" ? kind : `${kind} ${name}`}: ${operations.join(", ")}`;
}
