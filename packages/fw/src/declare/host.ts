import type { EndpointDeclaration } from "./endpoint.ts";
import type { EntityDeclaration } from "./entity.ts";
import type { EntityPage, QueryPlan } from "./entity-query.ts";
import type { HTML } from "./html.ts";
import type { SiteDeclaration } from "./site.ts";
import type { Context } from "./context.ts";

/** The slot of a Context through which declarations reach the runtime. */
export const HOST: unique symbol = Symbol.for("fw.host");

/** What the runtime offers to declarations; one implementation, in `runtime/host.ts`. */
export interface Host {
  call(ctx: Context, endpoint: EndpointDeclaration, request: unknown): Promise<unknown>;
  render(ctx: Context, site: SiteDeclaration, template: string, data: unknown): HTML;
  fragment(ctx: Context, site: SiteDeclaration, template: string, data: unknown): HTML;
  markdown(ctx: Context, site: SiteDeclaration, text: string): string;
  readonly entities: EntityOperations;
}

/** What an entity's declaration and its queries ask of the runtime. Documents are copies of the caller's own. */
export interface EntityOperations {
  get(ctx: Context, entity: EntityDeclaration, id: string): Promise<object>;
  find(ctx: Context, entity: EntityDeclaration, id: string): Promise<object | undefined>;
  create(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
  put(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
  update(ctx: Context, entity: EntityDeclaration, id: string, change: DocumentChange): Promise<object>;
  delete(ctx: Context, entity: EntityDeclaration, id: string): Promise<void>;
  all(ctx: Context, plan: QueryPlan): Promise<object[]>;
  first(ctx: Context, plan: QueryPlan): Promise<object | undefined>;
  count(ctx: Context, plan: QueryPlan): Promise<number>;
  page(ctx: Context, plan: QueryPlan, cursor: string | undefined): Promise<EntityPage<object>>;
  each(ctx: Context, plan: QueryPlan): AsyncIterable<object>;
  transaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T>;
}

export type DocumentChange = (document: object) => object | void | Promise<object | void>;
