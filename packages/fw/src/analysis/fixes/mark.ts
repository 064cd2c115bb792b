import type { ESTree } from "rolldown/utils";
import type { Edit, Span } from "../../model/diagnostic.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import { isFramework } from "../source/resolve.ts";
import { nodesAround } from "../source/nodes-around.ts";

/** Types that can be wrapped in a marker without resolving them. */
const simpleType = /^(?:string|number|boolean|Int|Int64|Date|Ref<\w+>)(?:\[\])?$/;

/** Wraps the types of fields in a marker and imports it; undefined if a field's type is not simple. */
export function markFields(module: SourceModule, fields: readonly Span[], marker: string): readonly Edit[] | undefined {
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

/** Imports a name from `fw`; no edits if it is imported already. */
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
