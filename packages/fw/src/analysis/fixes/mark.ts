import type { ESTree } from "rolldown/utils";
import type { Edit, Span } from "../../model/diagnostic.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import { isFramework } from "../source/resolve.ts";
import { nodesAround } from "../source/nodes-around.ts";

/** What a marker may be put around without a look at what it means. */
const simple = /^(?:string|number|boolean|Int|Int64|Date)(?:\[\])?$/;

/** Fields with their types marked, and the marker imported; undefined where one has no simple type of its own. */
export function marked(module: SourceModule, fields: readonly Span[], marker: string): readonly Edit[] | undefined {
  const edits = fields.map((at) => (at.path === module.path ? markedField(module, at, marker) : undefined));
  const imported = importOf(module, marker);
  if (imported === undefined || !edits.every((edit) => edit !== undefined)) return undefined;
  return [...imported, ...edits];
}

function markedField(module: SourceModule, at: Span, marker: string): Edit | undefined {
  const field = nodesAround(module, at).findLast((node) => node.type === "TSPropertySignature");
  const type = field?.type === "TSPropertySignature" ? field.typeAnnotation?.typeAnnotation : undefined;
  const text = type && module.text.slice(type.start, type.end);
  if (type === undefined || text === undefined || !simple.test(text)) return undefined;
  // Without an argument a marker of requests means a string.
  const isDefault = text === "string" && marker !== "Index";
  return { at: spanOf(module, type), text: isDefault ? marker : `${marker}<${text}>` };
}

/** The edit by which a name of `fw` is imported; none where it is already. */
function importOf(module: SourceModule, name: string): readonly Edit[] | undefined {
  const known = module.imports.get(name);
  if (known) return isFramework(known.specifier) && known.name === name ? [] : undefined;
  if (module.bindings.has(name)) return undefined;
  const imports = module.program.body.filter((statement) => statement.type === "ImportDeclaration");
  const own = imports.filter(({ source, specifiers }) => source.value === "fw" && specifiers.every(isNamed));
  const extended = own.find(({ importKind, specifiers }) => importKind === "type" && specifiers.length > 0) ?? own[0];
  const last = extended?.specifiers.at(-1);
  if (extended !== undefined && last !== undefined)
    return [{ at: spanOf(module, after(last)), text: `, ${extended.importKind === "type" ? "" : "type "}${name}` }];
  const eol = module.text.includes("\r\n") ? "\r\n" : "\n";
  const start = module.program.body[0]?.start ?? 0;
  return [{ at: spanOf(module, { start, end: start }), text: `import type { ${name} } from "fw";${eol}` }];
}

function isNamed(specifier: ESTree.ImportDeclarationSpecifier): boolean {
  return specifier.type === "ImportSpecifier";
}

function after({ end }: ESTree.Span): ESTree.Span {
  return { start: end, end };
}
