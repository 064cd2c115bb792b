import type { Diagnostic } from "../model/diagnostic.ts";
import type { TypeTable } from "../model/schema.ts";
import { defectAt } from "./defect.ts";
import { declarationsIn, importAliases, type DeclarationCall, type ImportAliases } from "./resolution/declarations.ts";
import { isSameSet } from "../lib/same-items.ts";
import { readDeclaration } from "./readers/index.ts";
import type { Parsed } from "./readers/parsed.ts";
import type { SourceNode, SourceModule } from "./source/module.ts";
import type { OpenProject } from "./source/project.ts";

/** A declaration as it was last read, and what that reading depends on. */
export interface Declared {
  readonly call: DeclarationCall;
  /** Undefined when reading it failed. */
  readonly read: Parsed | undefined;
  /** The named types that it refers to. */
  readonly types: TypeTable;
  /** Paths of the files that were looked at. */
  readonly files: ReadonlySet<string>;
  /** The literals whose members were read as constants. */
  readonly literals?: readonly SourceNode[];
  /** True when the checker was asked; then it depends on whatever its module imports. */
  readonly asked: boolean;
  /** The declaration's type as the checker printed it. */
  readonly printed?: string;
  /** Why it could not be read. */
  readonly failure?: Diagnostic;
}

/** The declarations of one module. */
export interface DeclaredModule {
  readonly module: SourceModule;
  readonly declared: readonly Declared[];
  /** Paths of the files that decide which calls are declarations. */
  readonly files: ReadonlySet<string>;
  /** The functions of `fw` that it can call, where no other file decides that. */
  readonly functions: ImportAliases["functions"];
  /** The names that may lead to such a function: one set for as long as the module and they stay as they are. */
  readonly names: ImportAliases["names"];
}

/**
 * Reads the declarations of a module, but for their types. A module that does not parse has none. What `known` holds of
 * the same calls is kept.
 */
export function readModule(project: OpenProject, module: SourceModule, known?: DeclaredModule): DeclaredModule {
  if (module.syntaxErrors.length > 0)
    return { module, declared: [], files: new Set(), functions: undefined, names: new Set() };
  const { result: leads, files: leading } = project.observe(() => importAliases(project, module));
  const { functions, names } = leads;
  if (functions !== undefined && known?.functions === functions) {
    return isSameSet(known.files, leading) ? known : { ...known, files: leading };
  }
  const { result: calls, files } = project.observe(() => declarationsIn(project, module, leads));
  const before = new Map(known?.declared.map((each) => [each.call.call, each]));
  const declared = calls.filter(isReadAlone).map((call) => {
    const same = before.get(call.call);
    return same && isSameCall(same.call, call) ? same : readCall(project, call);
  });
  return { module, files: new Set([...leading, ...files]), declared, functions, names };
}

function isSameCall(one: DeclarationCall, other: DeclarationCall): boolean {
  return one.name === other.name && one.placement === other.placement;
}

/** What is written inside another declaration is that one's to judge. */
function isReadAlone({ inside }: DeclarationCall): boolean {
  return inside === undefined;
}

/** Reads one declaration, but for its types. */
export function readCall(project: OpenProject, call: DeclarationCall): Declared {
  const plain = { call, types: {}, asked: false };
  try {
    const { result: read, files, literals } = project.observe(() => readDeclaration(project, call));
    return { ...plain, read, files: new Set([call.module.path, ...files]), literals };
  } catch (error) {
    return { ...plain, read: undefined, files: new Set([call.module.path]), failure: defectAt(call, error) };
  }
}
