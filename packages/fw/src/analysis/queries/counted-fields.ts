import { allOfKind, declarationKey } from "../../model/declarations.ts";
import type { Package } from "../../model/app.ts";
import type { CountedField } from "../../model/entity.ts";
import type { ParsedPackage } from "../readers/parsed.ts";
import type { QueriesRead } from "../readers/query.ts";
import { ofKind } from "../rules/select.ts";

/** The needs of queries besides indexes. */
interface QueryNeeds {
  readonly countedFields?: readonly CountedField[];
  readonly skippingEntities?: readonly string[];
}

/** Lists the fields that queries count by, with their values, and the entities whose queries skip documents. */
export function queryNeeds(
  packages: readonly Package[],
  parsedPackages: readonly ParsedPackage[],
  { fields, skipping }: QueriesRead,
): QueryNeeds {
  const names = new Map(
    allOfKind(packages, "entity").map(({ declaration, name }) => [declarationKey(declaration), name]),
  );
  const counts = fields.filter(({ use }) => use === "counts");
  const countedFields = parsedPackages
    .flatMap((pkg) => ofKind(pkg, "entity"))
    .flatMap(({ declaration, types }) =>
      (types?.fields ?? []).flatMap(({ name: field, values }): readonly CountedField[] => {
        const key = declarationKey(declaration);
        const entity = names.get(key);
        const isCounted = counts.some((use) => use.field === field && declarationKey(use.entity) === key);
        return isCounted && entity !== undefined && values !== undefined ? [{ entity, field, values }] : [];
      }),
    );
  const skippingNames = new Set(skipping.flatMap((entity) => names.get(declarationKey(entity)) ?? []));
  return {
    ...(countedFields.length > 0 && { countedFields }),
    ...(skippingNames.size > 0 && { skippingEntities: [...skippingNames].toSorted() }),
  };
}
