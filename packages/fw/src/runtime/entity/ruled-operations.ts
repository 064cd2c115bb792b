import type { Context } from "../../declare/context.ts";
import type { EntityDeclaration } from "../../declare/entity.ts";
import type { EntityOperations } from "../../declare/entity-query.ts";
import type { Application } from "../application.ts";
import { entityOperations } from "./entity.ts";
import { hasReferenceRules } from "./reference-rules.ts";

/** Implements entities with rules for references: each of their writes is a transaction, which follows the rules. */
export function ruledOperations(application: () => Application): EntityOperations {
  const operations = entityOperations(application);
  const run = <T>(ctx: Context, declaration: EntityDeclaration, write: (tx: Context) => Promise<T>): Promise<T> =>
    hasReferenceRules(application().entities.values(), declaration) ? operations.transaction(ctx, write) : write(ctx);
  return {
    ...operations,
    create: (ctx, declaration, document) => run(ctx, declaration, (tx) => operations.create(tx, declaration, document)),
    put: (ctx, declaration, document) => run(ctx, declaration, (tx) => operations.put(tx, declaration, document)),
    delete: (ctx, declaration, id) => run(ctx, declaration, (tx) => operations.delete(tx, declaration, id)),
  };
}
