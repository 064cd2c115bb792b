import type { ESTree } from "rolldown/utils";
import type { DeclarationRef } from "../../model/app.ts";
import type { Route } from "../../model/route.ts";
import { readConfig } from "./config.ts";
import type { EndpointRead } from "./read.ts";
import type { Reading } from "./reading.ts";
import { parseRoute, type RouteMistake } from "./route.ts";
import { referenceTo } from "./reference.ts";
import { anyConstant, flag } from "./settings.ts";
import { readText, type Source } from "./source.ts";

const settings = {
  signIn: flag,
  allow: referenceTo("Policy", "RequireRole"),
  private: flag,
  maxAge: anyConstant,
};

/** Reads `API(route, handler, config)` and `Page(route, handler, config)`. */
export function readEndpoint(
  kind: "api" | "page",
  source: Source,
  call: ESTree.CallExpression,
  declaration: DeclarationRef,
): EndpointRead {
  const text = readText(source, call, 0);
  return { kind, declaration, text, ...routeIn(text), config: readConfig(source, call, 2, settings) };
}

function routeIn({ value }: Reading<string>): {
  readonly route: Route | undefined;
  readonly mistake: RouteMistake | undefined;
} {
  const parsed = value === undefined ? undefined : parseRoute(value);
  if (parsed && "message" in parsed) return { route: undefined, mistake: parsed };
  return { route: parsed, mistake: undefined };
}
