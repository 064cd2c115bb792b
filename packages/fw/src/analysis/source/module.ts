import type { ESTree } from "rolldown/utils";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { LineTable } from "./position.ts";

/**
 * One parsed file of the application. Immutable: an edited file is a new object, and so is one whose imports resolve
 * differently.
 */
export interface SourceModule {
  /** Relative to the application's root, with forward slashes; starts with `../` outside the root. */
  readonly path: string;
  readonly text: string;
  readonly program: ESTree.Program;
  readonly lines: LineTable;
  /** If not empty, the file has a syntax error and `program` may be empty. */
  readonly syntaxErrors: readonly Diagnostic[];
  /** Its imports and re-exports, one per statement. */
  readonly requests: readonly ModuleRequest[];
  /** By local name. */
  readonly imports: ReadonlyMap<string, ImportedName>;
  /** By exported name, including `default`. */
  readonly exports: ReadonlyMap<string, ExportedName>;
  /** Specifiers of `export * from`. */
  readonly stars: readonly string[];
  readonly bindings: ReadonlyMap<string, Binding>;
  /** Type declarations by name; several if declarations merge. */
  readonly types: ReadonlyMap<string, readonly TypeDeclaration[]>;
  /**
   * Types that merge with types of other files: in `declare global`, in `declare module`, and in files without imports
   * and exports.
   */
  readonly augmentations: readonly Augmentation[];
}

/** Names of types that a file adds to another module or to the global scope. */
export interface Augmentation {
  /** The module; undefined for the global scope. */
  readonly specifier: string | undefined;
  readonly names: readonly string[];
}

export type TypeDeclaration =
  | ESTree.TSInterfaceDeclaration
  | ESTree.TSTypeAliasDeclaration
  | ESTree.TSEnumDeclaration
  | ESTree.TSModuleDeclaration
  | ESTree.Class;

/** An import or re-export of another module. */
export interface ModuleRequest {
  readonly specifier: string;
  /** The specifier in the source. */
  readonly node: ESTree.Span;
  /** True for `import type` and `export type`. */
  readonly typeOnly: boolean;
  /** False if only types are imported, so that the other module is not loaded. */
  readonly loads: boolean;
  /** True for `import "./setup.ts"`, without names. */
  readonly bare: boolean;
}

export interface ImportedName {
  readonly specifier: string;
  /** The name in the other module: `default`, or `*` for the namespace. */
  readonly name: string;
}

/** A local name, an expression (`export default "x"`), or a name of another module. */
export type ExportedName =
  | { readonly kind: "local"; readonly name: string }
  | { readonly kind: "expression"; readonly node: ESTree.Expression }
  | { readonly kind: "from"; readonly specifier: string; readonly name: string };

export type Binding =
  | {
      readonly kind: "variable";
      readonly name: string;
      readonly mutable: boolean;
      readonly node: ESTree.VariableDeclarator;
    }
  | { readonly kind: "enum"; readonly name: string; readonly nodes: readonly ESTree.TSEnumDeclaration[] }
  | { readonly kind: "function"; readonly name: string; readonly node: ESTree.Function }
  | { readonly kind: "class"; readonly name: string; readonly node: ESTree.Class }
  /** A name that a pattern binds. */
  | {
      readonly kind: "pattern";
      readonly name: string;
      readonly mutable: boolean;
      readonly node: ESTree.VariableDeclarator;
    }
  /** An interface, an alias or a namespace. */
  | { readonly kind: "type"; readonly name: string; readonly node: ESTree.Node };

export interface SourceNode {
  readonly module: SourceModule;
  readonly node: ESTree.Node;
}
