import type { ESTree } from "rolldown/utils";
import type { Binding, SourceModule } from "./module.ts";

/** The files of one application, parsed when they are asked for. Nothing here throws. */
export interface Project {
  /** Absolute path of the application's root. */
  readonly root: string;
  /** Paths of the application's own source files, sorted. */
  files(): readonly string[];
  /** Undefined when there is no such file, or it cannot be read. */
  module(path: string): SourceModule | undefined;
  /** Every module of `files()`. */
  modules(): Iterable<SourceModule>;
  /** Path of the module that an import means; undefined for `fw`, for a package and for a file that is not there. */
  resolve(from: string, specifier: string): string | undefined;
}

/** What a name means, seen through imports and re-exports. */
export type Meaning =
  | { readonly kind: "binding"; readonly module: SourceModule; readonly binding: Binding }
  /** The value of `export default <expression>`. */
  | { readonly kind: "expression"; readonly module: SourceModule; readonly node: ESTree.Expression }
  /** All exports of a module, as one object. */
  | { readonly kind: "namespace"; readonly module: SourceModule }
  /** An export of `fw`; `*` for all of them. */
  | { readonly kind: "fw"; readonly name: string }
  | { readonly kind: "external"; readonly specifier: string; readonly name: string }
  /** Declared nowhere: a global, or a mistake. */
  | { readonly kind: "unknown"; readonly name: string };
