import type { Destination } from "../model/background.ts";
import type { Schema, TypeTable } from "../model/schema.ts";
import { decodeFunction, decodersOf, functionsOf, looseOf } from "./decoders.ts";
import { encoderOf } from "./encoder.ts";
import type { Specifiers } from "./endpoint-module.ts";
import { exposedName } from "./expose.ts";
import { holds } from "./reach.ts";
import { runtimeImports, runtimeNames } from "./runtime-imports.ts";
import { text } from "./text.ts";

/** A module that exports `destinations(tasks)`: the bundled queues, topics and jobs of one module of the application, in order. */
export function destinationModule(
  destinations: readonly Destination[],
  types: TypeTable,
  specifiers: Specifiers,
): string {
  const code = codeOf(destinations, types, "export const");
  return [...imports(destinations, code, specifiers), code].join("\n");
}

/** The body of a function of `runtime`, that answers with what the module has of one destination, for who has not loaded its declaration. */
export function destinationBody(destination: Destination, tasks: number, types: TypeTable): string {
  const code = codeOf([destination], types, "const");
  return [
    `"use strict";`,
    `const { ${runtimeNames(code).join(", ")} } = runtime;`,
    `const ${exposedName(destination.declaration.variable)} = undefined;`,
    code,
    `return destinations([${tasks}])[0];`,
  ].join("\n");
}

/** The constant `destinations`, last of all that it is made of. */
function codeOf(destinations: readonly Destination[], types: TypeTable, declares: "const" | "export const"): string {
  const decoders = decodersOf(types);
  const encoders = encoderOf(types);
  const decodes = destinations.map(({ message }, i) => {
    const loose = looseOf(decoders, [message], types);
    const writer = isExact(message, types) ? loose.exact : loose.plain;
    return decodeFunction(`decode${i}`, message.kind === "void" ? undefined : writer.decoder(message));
  });
  const entries = destinations.map((destination, i) =>
    entry(destination, i, encoded(destination.message, encoders), types),
  );
  return [
    ...functionsOf(decoders),
    ...encoders.functions,
    ...decodes,
    `${declares} destinations = (t) => [`,
    ...entries,
    "];",
    "",
  ].join("\n");
}

function imports(destinations: readonly Destination[], code: string, { runtime, module }: Specifiers): string[] {
  const names = destinations.map(({ declaration }) => exposedName(declaration.variable));
  const path = destinations[0]?.declaration.module ?? "";
  return [...runtimeImports(code, runtime), `import { ${names.join(", ")} } from ${text(module(path))};`];
}

function isExact(message: Schema, types: TypeTable): boolean {
  return holds(message, "int64", types);
}

function encoded(message: Schema, encoders: ReturnType<typeof encoderOf>): string | undefined {
  return message.kind === "void" ? `() => "null"` : encoders.encoder(message);
}

function entry(
  { kind, declaration, name, message }: Destination,
  index: number,
  encode: string | undefined,
  types: TypeTable,
): string {
  const parts = [
    `kind: ${text(kind)}`,
    `declaration: ${exposedName(declaration.variable)}`,
    `name: ${text(name)}`,
    `tasks: t[${index}]`,
    `exactIntegers: ${isExact(message, types)}`,
    `decode: decode${index}`,
  ];
  if (encode !== undefined) parts.push(`encode: ${encode}`);
  return `  { ${parts.join(", ")} },`;
}
