import type { ESTree } from "rolldown/utils";
import { assertNever } from "../../lib/assert-never.ts";
import type { Edit, Fix, Span } from "../../model/diagnostic.ts";
import type { SourceModule } from "../source/module.ts";
import { offsetOf, spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { isAssigned } from "../symbols/access.ts";
import { symbolsOf } from "../symbols/table.ts";
import { extractConstant } from "./extract.ts";
import type { Intent } from "./intent.ts";
import { nodesAround } from "../source/nodes-around.ts";
import { isFramework } from "../source/resolve.ts";

/** Converts a rule's intent to edits; undefined outside the application, or if the source is not simple enough. */
export function fixOf(project: Project, intent: Intent): Fix | undefined {
  const path = (intent.kind === "mark" ? intent.fields[0]?.path : intent.at.path) ?? "";
  // Files outside the application are not changed.
  const module = path.startsWith("../") ? undefined : project.module(path);
  if (module === undefined) return undefined;
  const [title, edits] = titleAndEdits(module, intent);
  return edits && { title, edits };
}

function titleAndEdits(module: SourceModule, intent: Intent): readonly [string, readonly Edit[] | undefined] {
  switch (intent.kind) {
    case "text":
      return [`Change to "${intent.text}"`, replaceText(module, intent.at, intent.text)];
    case "name":
      return [`Rename to ${intent.name}`, renameProperty(module, intent.at, intent.name)];
    case "export":
      return ["Add export", addExport(module, intent.at)];
    case "leave out":
      return [`Remove ${intent.name}`, removeProperty(module, intent.at)];
    case "mark":
      return [`Mark with ${intent.marker}`, markFields(module, intent.fields, intent.marker)];
    case "const":
      return ["Change to const", asConst(module, intent.at)];
    case "extract":
      return ["Move to a constant", extractConstant(module, intent)];
    case "edits":
      return [intent.title, intent.edits];
    case "replace":
      return [`Change to ${intent.text}`, replaceExpression(intent)];
    default:
      return assertNever(intent);
  }
}

function replaceText(module: SourceModule, at: Span, text: string): readonly Edit[] | undefined {
  const literal = nodesAround(module, at).at(-1);
  const isPlain = literal?.type === "Literal" && typeof literal.value === "string" && !/["'`\\]/.test(text);
  if (!isPlain) return undefined;
  return [edit(module, literal.start + 1, literal.end - 1, text)];
}

function renameProperty(module: SourceModule, at: Span, name: string): readonly Edit[] | undefined {
  const start = offsetOf(module, at);
  const property = nodesAround(module, at).findLast((node) => node.type === "Property");
  if (property?.type !== "Property" || property.computed || property.shorthand || property.key.start !== start)
    return undefined;
  const quoted = property.key.type === "Literal" ? 1 : 0;
  return [edit(module, property.key.start + quoted, property.key.end - quoted, name)];
}

const exportable = new Set([
  "VariableDeclaration",
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSEnumDeclaration",
  "ClassDeclaration",
]);

function addExport(module: SourceModule, at: Span): readonly Edit[] | undefined {
  const statement = nodesAround(module, at)[1];
  if (statement === undefined || !exportable.has(statement.type)) return undefined;
  return [edit(module, statement.start, statement.start, "export ")];
}

function removeProperty(module: SourceModule, at: Span): readonly Edit[] | undefined {
  const around = nodesAround(module, at);
  const property = around.findLast((node) => node.type === "Property");
  const literal = property && around[around.indexOf(property) - 1];
  if (property === undefined || literal?.type !== "ObjectExpression") return undefined;
  const { start, end } = propertyWithComma(literal, property);
  // A comment in this range may describe another property.
  const rest = module.text.slice(start, property.start) + module.text.slice(property.end, end);
  return /^[\s,]*$/.test(rest) ? [edit(module, start, end, "")] : undefined;
}

/** Returns the range of a property with the comma that becomes redundant. */
function propertyWithComma(literal: ESTree.ObjectExpression, property: ESTree.Node): ESTree.Span {
  const all: readonly ESTree.Node[] = literal.properties;
  const index = all.indexOf(property);
  const [before, after] = [all[index - 1], all[index + 1]];
  return {
    start: before?.end ?? (after ? property.start : literal.start + 1),
    end: before ? property.end : (after?.start ?? literal.end - 1),
  };
}

function asConst(module: SourceModule, at: Span): readonly Edit[] | undefined {
  const declaration = nodesAround(module, at).find((node) => node.type === "VariableDeclaration");
  if (declaration?.type !== "VariableDeclaration" || !["let", "var"].includes(declaration.kind)) return undefined;
  const { byName } = symbolsOf(module);
  const isConstant = declaration.declarations.every(
    ({ id, init }) => id.type === "Identifier" && init !== null && !(byName.get(id.name) ?? []).some(isAssigned),
  );
  return isConstant
    ? [edit(module, declaration.start, declaration.start + declaration.kind.length, "const")]
    : undefined;
}

function replaceExpression({ at, text, parameter }: Extract<Intent, { kind: "replace" }>): readonly Edit[] {
  return [...(parameter ? [{ at: parameter.at, text: parameter.name }] : []), { at, text }];
}

function edit(module: SourceModule, start: number, end: number, text: string): Edit {
  return { at: spanOf(module, { start, end }), text };
}

/** Types that can be wrapped in a marker without resolving them. */
const simpleType = /^(?:string|number|boolean|Int|Int64|Date|Ref<\w+>)(?:\[\])?$/;

/**
 * Wraps the types of fields in a marker and imports it; undefined if a field's type is not simple, if a field is in
 * another module, or if the marker's name has another meaning.
 */
function markFields(module: SourceModule, fields: readonly Span[], marker: string): readonly Edit[] | undefined {
  const edits = fields.map((at) => (at.path === module.path ? markField(module, at, marker) : undefined));
  const importEdits = importOf(module, marker);
  if (importEdits === undefined || !edits.every((edit) => edit !== undefined)) return undefined;
  return [...importEdits, ...edits];
}

function markField(module: SourceModule, at: Span, marker: string): Edit | undefined {
  const field = nodesAround(module, at).findLast((node) => node.type === "TSPropertySignature");
  const type = field?.type === "TSPropertySignature" ? field.typeAnnotation?.typeAnnotation : undefined;
  const text = type && module.text.slice(type.start, type.end);
  if (type === undefined || text === undefined || !simpleType.test(text)) return undefined;
  // Without an argument a request marker means a string.
  const isDefault = text === "string" && marker !== "Index";
  return { at: spanOf(module, type), text: isDefault ? marker : `${marker}<${text}>` };
}

/** Imports a name from `fw`: no edits if it is already imported, undefined if the name has another meaning. */
function importOf(module: SourceModule, name: string): readonly Edit[] | undefined {
  const existing = module.imports.get(name);
  if (existing) return isFramework(existing.specifier) && existing.name === name ? [] : undefined;
  if (module.bindings.has(name)) return undefined;
  const imports = module.program.body.filter((statement) => statement.type === "ImportDeclaration");
  const own = imports.filter(({ source, specifiers }) => source.value === "fw" && specifiers.every(isNamedImport));
  const extended = own.find(({ importKind, specifiers }) => importKind === "type" && specifiers.length > 0) ?? own[0];
  const last = extended?.specifiers.at(-1);
  if (extended !== undefined && last !== undefined)
    return [{ at: spanOf(module, after(last)), text: `, ${extended.importKind === "type" ? "" : "type "}${name}` }];
  const eol = module.text.includes("\r\n") ? "\r\n" : "\n";
  const start = module.program.body[0]?.start ?? 0;
  return [{ at: spanOf(module, { start, end: start }), text: `import type { ${name} } from "fw";${eol}` }];
}

function isNamedImport(specifier: ESTree.ImportDeclarationSpecifier): boolean {
  return specifier.type === "ImportSpecifier";
}

function after({ end }: ESTree.Span): ESTree.Span {
  return { start: end, end };
}
