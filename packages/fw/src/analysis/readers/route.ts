import { listOf, nearest } from "../../lib/suggest.ts";
import { everyMethod } from "../../model/mounts.ts";
import type { Route, Segment } from "../../model/route.ts";

export interface RouteMistake {
  readonly message: string;
  readonly hint: string;
}

/** The methods a route may declare. */
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Parses `"GET /orders/{id}"`: a method, one space, and a path of literal and `{name}` segments. */
export function parseRoute(pattern: string): Route | RouteMistake {
  const space = pattern.indexOf(" ");
  if (space < 0) return notTwoParts(pattern);
  const method = pattern.slice(0, space);
  const path = pattern.slice(space + 1);
  const segments = methodMistake(method, path) ?? parsePath(path);
  return Array.isArray(segments) ? { pattern, method, segments } : (segments as RouteMistake);
}

/** Parses the route of a socket, whose method must be GET. */
export function parseSocketRoute(pattern: string): Route | RouteMistake {
  const route = parseRoute(pattern);
  if ("message" in route || route.method === "GET") return route;
  const message = `a socket route must be a GET, not "${pattern}"`;
  return { message, hint: `write "GET ${pattern.slice(route.method.length + 1)}"` };
}

/** Parses `"/graphql"`: a path of literal segments. The mount answers every method at and below it. */
export function parseMount(path: string): Route | RouteMistake {
  const method = path.indexOf(" ") > 0 ? path.slice(0, path.indexOf(" ")) : "";
  if (/^[A-Z]+$/.test(method)) {
    return {
      message: `a mount takes a path without a method, not "${path}"`,
      hint: `write "${path.slice(method.length + 1)}"`,
    };
  }
  const segments = parsePath(path);
  if (!Array.isArray(segments)) return segments as RouteMistake;
  const parsed = segments as readonly Segment[];
  const param = parsed.find((segment) => "param" in segment);
  if (param === undefined) return { pattern: `${everyMethod} ${path}`, method: everyMethod, segments: parsed };
  return {
    message: `the mount "${path}" has the parameter {${"param" in param ? param.param : ""}}`,
    hint: "a mount gets every path below its own: read the rest of the path from the request's URL",
  };
}

function notTwoParts(pattern: string): RouteMistake {
  const message = `the route "${pattern}" is not a method and a path`;
  if (pattern.startsWith("/")) return { message, hint: `write "GET ${pattern}"` };
  return { message, hint: 'write a method, a space and a path, such as "GET /orders/{id}"' };
}

function methodMistake(method: string, path: string): RouteMistake | undefined {
  if ((methods as readonly string[]).includes(method)) return undefined;
  const message = `a route cannot have the method "${method}"`;
  if (method === "HEAD") return { message, hint: "GET routes also handle HEAD requests" };
  if (method === "OPTIONS") return { message, hint: "fw handles OPTIONS requests itself" };
  const suggestion = nearest(method, methods);
  if (suggestion !== undefined) return { message, hint: `write "${suggestion} ${path}"` };
  return { message, hint: `the methods are ${listOf(methods, "and")}` };
}

function parsePath(path: string): readonly Segment[] | RouteMistake {
  const mistake = pathMistake(path);
  if (mistake) return mistake;
  if (path === "/") return [];
  const segments: Segment[] = [];
  const names = new Set<string>();
  for (const text of path.slice(1).split("/")) {
    const segment = parseSegment(text, path);
    if ("message" in segment) return segment;
    if ("param" in segment && names.has(segment.param)) return repeatedParameter(segment.param, path);
    if ("param" in segment) names.add(segment.param);
    segments.push(segment);
  }
  return segments;
}

/** Mistakes in a path: a pattern, the end of the message, and a hint. */
const pathMistakes: readonly (readonly [RegExp, string, string | ((path: string) => string)])[] = [
  [/\s/u, "contains white space", "separate the method and the path with one space; paths cannot contain spaces"],
  [/^(?!\/)/, 'does not begin with "/"', (path) => `write "/${path}"`],
  [/\?/, "contains a query string", "bind query parameters with Query fields of the request"],
  [/#/, "contains a fragment", "remove it: browsers never send the part after #"],
  [/.\/$/s, 'ends with "/"', (path) => `write "${path.replace(/\/+$/, "") || "/"}"`],
];

function pathMistake(path: string): RouteMistake | undefined {
  const [, phrase, hint] = pathMistakes.find(([pattern]) => pattern.test(path)) ?? [];
  if (phrase === undefined || hint === undefined) return undefined;
  return { message: `the path "${path}" ${phrase}`, hint: typeof hint === "string" ? hint : hint(path) };
}

/** Parameter names never appear on the wire, so, like property names, they may use any alphabet. */
const param = /^\{([\p{L}_][\p{L}\p{M}\p{Nd}_-]*)\}$/u;
/** Parameters as other frameworks write them: `:id`, `[id]`, `<id>`, `$id`. */
const foreignParam = /^(?::|\$|\[|<|\{)\W{0,3}([A-Za-z_][A-Za-z0-9_]*)\W{0,4}$/;
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}"%<>[\]\\^`{|}]/u;

function parseSegment(text: string, path: string): Segment | RouteMistake {
  const name = param.exec(text)?.[1];
  if (name !== undefined) return { param: name };
  const suggestion = foreignParam.exec(text)?.[1];
  if (suggestion !== undefined) return notAParameter(text, path, `write "{${suggestion}}"`);
  if (/^\{[^{}]+\}$/.test(text))
    return notAParameter(text, path, "a parameter's name begins with a letter and contains letters, digits, - and _");
  if (/[{}]/.test(text))
    return notAParameter(text, path, 'a parameter must be a whole segment, such as "/orders/{id}"');
  if (/^\*+$/.test(text)) return notAParameter(text, path, 'use a named parameter, such as "/orders/{id}"');
  if (text === "")
    return { message: `the path "${path}" has an empty segment`, hint: "write one slash between segments" };
  if (text === "." || text === "..") {
    return {
      message: `the path "${path}" has the segment "${text}"`,
      hint: "clients resolve it before they send a request, so it never arrives",
    };
  }
  const character = unsafe.exec(text)?.[0];
  if (character === undefined) return { literal: text };
  const message = `the path "${path}" contains "${character}"`;
  return { message, hint: "write segments with characters that need no encoding in a URL" };
}

function notAParameter(text: string, path: string, hint: string): RouteMistake {
  return { message: `"${text}" in the path "${path}" is not a parameter`, hint };
}

function repeatedParameter(name: string, path: string): RouteMistake {
  return {
    message: `the path "${path}" has two parameters named {${name}}`,
    hint: "give each parameter its own name",
  };
}
