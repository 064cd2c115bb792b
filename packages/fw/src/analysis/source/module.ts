import type { ESTree } from "rolldown/utils";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { LineTable } from "./position.ts";

/** One parsed file of the application. Never changes: an edited file is another module, and so is one whose imports lead elsewhere. */
export interface SourceModule {
  /** Relative to the application's root, with forward slashes; begins with `../` outside of it. */
  readonly path: string;
  readonly text: string;
  readonly program: ESTree.Program;
  readonly lines: LineTable;
  /** Why it does not parse; then `program` may be empty. */
  readonly syntaxErrors: readonly Diagnostic[];
  /** What it imports and re-exports from, a statement each. */
  readonly requests: readonly ModuleRequest[];
  /** Local name to what it is imported as. */
  readonly imports: ReadonlyMap<string, ImportedName>;
  /** Exported name to what it stands for; `default` is one of them. */
  readonly exports: ReadonlyMap<string, ExportedName>;
  /** Specifiers of `export * from`. */
  readonly stars: readonly string[];
  /** What the top level declares, by name. */
  readonly bindings: ReadonlyMap<string, Binding>;
  /** The types among it, by name; several where declarations merge. */
  readonly types: ReadonlyMap<string, readonly TypeDeclaration[]>;
  /** Types that merge with those of other files: of `declare global`, `declare module`, and of a file without imports and exports. */
  readonly augmentations: readonly Augmentation[];
}

/** Names of types that a file adds to another module, or to the global scope. */
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

/** An import of another module, or a re-export from it. */
export interface ModuleRequest {
  readonly specifier: string;
  /** Where the specifier is written. */
  readonly node: ESTree.Span;
  /** True where the statement says that it is for types only. */
  readonly typeOnly: boolean;
  /** False where nothing but types is named, so that the other module is not loaded. */
  readonly loads: boolean;
  /** True where nothing is named at all: `import "./setup.ts"`. */
  readonly bare: boolean;
}

export interface ImportedName {
  readonly specifier: string;
  /** The name in the other module; `default`, or `*` for all of it. */
  readonly name: string;
}

/** A name of this module, an expression (`export default "x"`), or a name of another module. */
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
  /** A name taken out of a pattern. */
  | {
      readonly kind: "pattern";
      readonly name: string;
      readonly mutable: boolean;
      readonly node: ESTree.VariableDeclarator;
    }
  /** An interface, an alias or a namespace. */
  | { readonly kind: "type"; readonly name: string; readonly node: ESTree.Node };

/** A node and the module it stands in. */
export interface Place {
  readonly module: SourceModule;
  readonly node: ESTree.Node;
}
