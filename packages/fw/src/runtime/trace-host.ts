import type { Context } from "../declare/context.ts";
import type { Host } from "../declare/host.ts";
import { usesBuckets, usesEntities, usesIdentity } from "./capabilities.ts";
import { originOf } from "./calls/origin.ts";
import { beginSpan, isFailure, type SpanSink } from "./observe/span.ts";

/** Wraps a host so that its data operations are spans of the caller's trace. Streaming operations are not. */
export function traceHost(host: Host, spans: SpanSink): Host {
  return {
    ...host,
    entities: usesEntities ? traceOperations("entity", host.entities, spans) : host.entities,
    buckets: usesBuckets ? traceOperations("bucket", host.buckets, spans) : host.buckets,
    users: usesIdentity ? traceOperations("users", host.users, spans) : host.users,
    tokens: usesIdentity ? traceOperations("tokens", host.tokens, spans) : host.tokens,
  };
}

type Operation = (ctx: Context, ...args: unknown[]) => unknown;

function traceOperations<Operations extends object>(part: string, operations: Operations, spans: SpanSink): Operations {
  const wrapped = Object.entries(operations).map(([name, operation]: [string, Operation]) => {
    const label = `${part}.${name}`;
    const step: Operation = (ctx, ...args) => {
      const subject = nameIn(args[0]);
      const text = subject === undefined ? label : `${label} ${subject}`;
      const span = beginSpan(spans, originOf(ctx).trace, { kind: "client", name: text, attributes: noAttributes });
      const result = operation(ctx, ...args);
      if (!(result instanceof Promise)) return result;
      return result.then(
        (value: unknown) => (span.end(false, [args, value]), value),
        (error: unknown) => {
          span.end(isFailure(error));
          throw error;
        },
      );
    };
    return [name, step];
  });
  return Object.fromEntries(wrapped) as Operations;
}

const noAttributes = {};

/** Returns the name of a declaration, or of a query's entity. Ids and addresses must not reach a collector. */
function nameIn(argument: unknown): string | undefined {
  const { entity, kind, name } = Object(argument) as { readonly [member: string]: unknown };
  if (entity !== undefined) return nameIn(entity);
  return kind !== undefined && typeof name === "string" ? name : undefined;
}
