import type { Span } from "../../runtime/observe/span.ts";
import type { CapturedOperation, QueryDetails } from "./operation-details.ts";

/** A query without the values of its filters. */
export interface QueryShape extends Omit<QueryDetails, "filters"> {
  readonly filters: readonly Omit<QueryDetails["filters"][number], "value">[];
}

/** The properties that steps counted together have in common. */
export interface StepShape {
  readonly kind: "data" | "outgoing" | "call";
  readonly name: string;
  /** The route, delivery, cron or job that the steps belong to; undefined if unknown. */
  readonly route: string | undefined;
  readonly query?: QueryShape;
}

/** Returns the kind of a step that is counted; undefined for requests, messages and deliveries. */
function kindOf({ kind, attributes }: Span): StepShape["kind"] | undefined {
  if (kind !== "client") return undefined;
  if (isOutgoingSpan({ attributes })) return "outgoing";
  return "peer.service" in attributes ? "call" : "data";
}

/** True for the span of an outgoing request. */
export function isOutgoingSpan({ attributes }: Pick<Span, "attributes">): boolean {
  return "url.full" in attributes;
}

/** Returns the name of an outgoing request: method, host and `path` (by default, its template). */
export function outgoingName(
  { attributes }: Pick<Span, "attributes">,
  path: string = String(attributes["url.template"]),
): string {
  return `${attributes["http.request.method"]} ${hostOf(attributes)}${path}`;
}

function hostOf(attributes: Span["attributes"]): string {
  return new URL(String(attributes["url.full"])).host;
}

/** Identifies the shape of a step; undefined for a step that is not counted. */
export function shapeKey(span: Span, operation: CapturedOperation | undefined): string | undefined {
  const kind = kindOf(span);
  if (kind === undefined) return undefined;
  const { name, trace } = span;
  let key = `${kind === "outgoing" ? outgoingName(span) : name}\n${trace.route ?? ""}`;
  if (operation?.query === undefined) return key;
  const { filters, orders, limit = "" } = operation.query;
  for (const { field, operator } of filters) key += `\n${field} ${operator}`;
  for (const { field, direction } of orders) key += `\n${field} ${direction}`;
  return `${key}\n${limit}`;
}

export function shapeOf(span: Span, operation: CapturedOperation | undefined): StepShape {
  const kind = kindOf(span) ?? "data";
  const { name, trace } = span;
  return {
    kind,
    name: kind === "outgoing" ? outgoingName(span) : name,
    route: trace.route,
    ...(operation?.query && { query: queryShape(operation.query) }),
  };
}

function queryShape({ entity, filters, orders, limit }: NonNullable<CapturedOperation["query"]>): QueryShape {
  return {
    entity,
    filters: filters.map(({ field, operator }) => ({ field, operator })),
    orders,
    ...(limit !== undefined && { limit }),
  };
}
