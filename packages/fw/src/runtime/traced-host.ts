import type { Context } from "../declare/context.ts";
import type { Host } from "../declare/host.ts";
import { originOf } from "./calls/origin.ts";
import { beginSpan, isFailure, type SpanSink } from "./observe/span.ts";

/** A host whose questions to what keeps data are steps of the trace of who asks. What comes bit by bit is none. */
export function tracedHost(host: Host, spans: SpanSink): Host {
  return {
    ...host,
    entities: traced("entity", host.entities, spans),
    buckets: traced("bucket", host.buckets, spans),
    users: traced("users", host.users, spans),
    tokens: traced("tokens", host.tokens, spans),
  };
}

type Operation = (ctx: Context, ...given: unknown[]) => unknown;

function traced<Operations extends object>(part: string, operations: Operations, spans: SpanSink): Operations {
  const wrapped = Object.entries(operations).map(([name, operation]: [string, Operation]) => {
    const step: Operation = (ctx, ...given) => {
      const text = [`${part}.${name}`, ...namesIn(given[0])].join(" ");
      const span = beginSpan(spans, originOf(ctx).trace, { kind: "client", name: text, attributes: {} });
      const result = operation(ctx, ...given);
      if (!(result instanceof Promise)) return result;
      return result.then(
        (value: unknown) => (span.end(false), value),
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

/** What a declaration is called, or that whose query it is. Ids and addresses are none of a collector's. */
function namesIn(given: unknown): readonly string[] {
  if (typeof given !== "object" || given === null) return [];
  if ("entity" in given) return namesIn(given.entity);
  return "kind" in given && "name" in given && typeof given.name === "string" ? [given.name] : [];
}
