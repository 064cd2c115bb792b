import type { DeclarationRef, Endpoint } from "../../model/app.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { BoundField, RequestShape, Scalar } from "../../model/request-shape.ts";
import type { Route, Segment } from "../../model/route.ts";
import type { Field, Schema } from "../../model/schema.ts";

const nowhere: Span = { path: "app.ts", line: 1, column: 1, endLine: 1, endColumn: 1 };

export function route(pattern: string): Route {
  const [method = "", path = ""] = pattern.split(" ");
  const segments = path === "/" ? [] : path.slice(1).split("/");
  return { pattern, method, segments: segments.map(segment) };
}

function segment(text: string): Segment {
  return text.startsWith("{") ? { param: text.slice(1, -1) } : { literal: text };
}

export function ref(module: string, variable: string): DeclarationRef {
  return { module, variable, exported: true, at: { ...nowhere, path: module } };
}

export function field(name: string, schema: Schema, optional = false): Field {
  return { name, schema, optional };
}

export function bound(
  source: BoundField["source"],
  name: string,
  type: Scalar,
  more: Partial<Pick<BoundField, "optional" | "list" | "wire">> = {},
): BoundField {
  return { property: name, source, wire: name, type, list: false, optional: false, at: nowhere, ...more };
}

export function endpoint(pattern: string, variable: string, more: Partial<Endpoint> = {}, module = "app.ts"): Endpoint {
  return {
    kind: "api",
    declaration: ref(module, variable),
    route: route(pattern),
    settings: { signIn: false, private: false },
    request: { bound: [], body: [], carries: "nothing" },
    response: { kind: "json" },
    ...more,
  };
}

export function request(shape: Partial<RequestShape>): RequestShape {
  const body = shape.body ?? [];
  return { bound: [], body, carries: body.length > 0 ? "json" : "nothing", ...shape };
}
