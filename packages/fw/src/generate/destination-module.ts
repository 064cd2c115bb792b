import type { Destination } from "../model/background.ts";
import type { TypeTable } from "../model/schema.ts";
import { Codecs } from "./codecs.ts";
import { exposedName } from "./expose.ts";
import { importOf, type Specifiers } from "./import-lines.ts";
import { runtimeNames } from "./runtime-imports.ts";
import { text } from "./text.ts";

/**
 * Generates the module that exports `destinations(tasks)`: the queues, topics and jobs of one application module, in
 * order.
 */
export function destinationModule(
  destinations: readonly Destination[],
  types: TypeTable,
  specifiers: Specifiers,
): string {
  const codecs = new Codecs(types);
  const exported = constantOf(destinations, codecs, "export const");
  return codecs.module(exported, [importOf(destinations, specifiers)]);
}

/**
 * Generates the body of a function with the parameter `runtime` that returns the codecs of one destination, for callers
 * that have not loaded its declaration.
 */
export function destinationBody(destination: Destination, tasks: number, types: TypeTable): string {
  const codecs = new Codecs(types);
  const code = codecs.code(constantOf([destination], codecs, "const"));
  return [
    `"use strict";`,
    `const { ${runtimeNames(code).join(", ")} } = runtime;`,
    `const ${exposedName(destination.declaration.variable)} = undefined;`,
    code,
    `return destinations([${tasks}])[0];`,
  ].join("\n");
}

/** Generates the constant `destinations`, and adds the functions that it needs. */
function constantOf(
  destinations: readonly Destination[],
  codecs: Codecs,
  declares: "const" | "export const",
): readonly string[] {
  return [`${declares} destinations = (t) => [`, ...destinations.map((each, i) => entry(each, i, codecs)), "];"];
}

function entry({ kind, declaration, name, message }: Destination, index: number, codecs: Codecs): string {
  const isEmpty = message.kind === "void";
  codecs.decode(`decode${index}`, isEmpty ? undefined : codecs.trustedDecoder([message]).decoder(message));
  const encode = isEmpty ? `() => "null"` : codecs.encoder(message);
  const parts = [
    `kind: ${text(kind)}`,
    `declaration: ${exposedName(declaration.variable)}`,
    `name: ${text(name)}`,
    `tasks: t[${index}]`,
    `exactIntegers: ${codecs.isExact([message])}`,
    `decode: decode${index}`,
    ...(encode === undefined ? [] : [`encode: ${encode}`]),
  ];
  return `  { ${parts.join(", ")} },`;
}
