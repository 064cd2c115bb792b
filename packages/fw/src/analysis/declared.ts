import type { Diagnostic } from "../model/diagnostic.ts";
import type { TypeTable } from "../model/schema.ts";
import { defectAt } from "./defect.ts";
import { declarationsIn, importAliases, type DeclarationCall, type ImportAliases } from "./resolution/declarations.ts";
import { cachedByObject } from "../lib/cached-by-object.ts";
import { isSameSet } from "../lib/same-items.ts";
import { readDeclaration } from "./readers/index.ts";
import type { Parsed } from "./readers/parsed.ts";
import type { SourceNode, SourceModule } from "./source/module.ts";
import type { OpenProject } from "./source/project.ts";

/** A declaration as last read, with its dependencies. */
export interface DeclaredCall {
  readonly call: DeclarationCall;
  /** Undefined if the declaration could not be read. */
  readonly read: Parsed | undefined;
  readonly types: TypeTable;
  readonly files: ReadonlySet<string>;
  /** The literals whose members its settings use as constants. */
  readonly literals?: readonly SourceNode[];
  /** True if types come from the checker, so that the reading depends on all imports of its module. */
  readonly isChecked: boolean;
  /** The declaration's type as printed by the checker. */
  readonly printed?: string;
  readonly failure?: Diagnostic;
}

export interface DeclaredModule {
  readonly module: SourceModule;
  readonly declared: readonly DeclaredCall[];
  /** Paths of the files that determine which calls are declarations. */
  readonly files: ReadonlySet<string>;
  /** The functions behind `names` as a string; undefined if other files determine them. */
  readonly functions: ImportAliases["functions"];
  /** The names that may lead to a declaring function; the same set object while module and names are unchanged. */
  readonly names: ImportAliases["names"];
}

export const readsIn: (module: DeclaredModule) => readonly Parsed[] = cachedByObject(({ declared }: DeclaredModule) =>
  declared.flatMap(({ read }) => read ?? []),
);

/** Earlier readings of a module that may still be valid. */
interface EarlierReadings {
  /** The declarations of the same syntax tree. */
  readonly previous?: DeclaredModule;
  /** Finds the reading of the same declaration in an earlier syntax tree. */
  readonly findUnaffected?: (call: DeclarationCall) => DeclaredCall | undefined;
}

/** Reads the declarations of a module without their types. A module that does not parse has none. */
export function readModule(
  project: OpenProject,
  module: SourceModule,
  { previous, findUnaffected }: EarlierReadings = {},
): DeclaredModule {
  if (module.syntaxErrors.length > 0)
    return { module, declared: [], files: new Set(), functions: undefined, names: new Set() };
  const { result: aliases, files: aliasFiles } = project.observe(() => importAliases(project, module));
  const { functions, names } = aliases;
  if (functions !== undefined && previous?.functions === functions) {
    return isSameSet(previous.files, aliasFiles) ? previous : { ...previous, files: aliasFiles };
  }
  const { result: calls, files } = project.observe(() => declarationsIn(project, module, aliases));
  const before = new Map(previous?.declared.map((each) => [each.call.call, each]));
  const declared = calls.filter(isOutermost).map((call) => {
    const same = before.get(call.call);
    return same && isSameCall(same.call, call) ? same : (findUnaffected?.(call) ?? readCall(project, call));
  });
  return { module, files: new Set([...aliasFiles, ...files]), declared, functions, names };
}

function isSameCall(one: DeclarationCall, other: DeclarationCall): boolean {
  return one.name === other.name && one.placement === other.placement;
}

/** False for a declaration inside another one, because the check of the outer one covers it. */
function isOutermost({ inside }: DeclarationCall): boolean {
  return inside === undefined;
}

export function readCall(project: OpenProject, call: DeclarationCall): DeclaredCall {
  const plain = { call, types: {}, isChecked: false };
  try {
    const { result: read, files, literals } = project.observe(() => readDeclaration(project, call));
    return { ...plain, read, files: new Set([call.module.path, ...files]), literals };
  } catch (error) {
    return { ...plain, read: undefined, files: new Set([call.module.path]), failure: defectAt(call, error) };
  }
}
