import type { Span } from "./diagnostic.ts";

/** One step into a value: a property by its name, or `item`, what `{{#each}}` goes through. */
export type Step = string | typeof item;
export const item = null;

/** The parts of a value that a template reads: some of its properties, and its items. */
export interface AccessPaths {
  readonly properties: ReadonlyMap<string, AccessPaths>;
  readonly items?: AccessPaths;
}

/** The type of a template's data, as far as it is wanted. What is not wanted, and what is not certain, is unknown. */
export type DataType =
  | { readonly kind: "unknown" }
  /** `undefined` or `null`. */
  | { readonly kind: "nothing" }
  | { readonly kind: "scalar"; readonly name: ScalarName }
  | { readonly kind: "list"; readonly items: DataType }
  /** All names of its properties; `rest` is what every other key holds. */
  | { readonly kind: "object"; readonly properties: ReadonlyMap<string, DataType>; readonly rest?: DataType }
  /** Any of these, or all of them at once: `{ ...note, title }`. */
  | { readonly kind: "union"; readonly members: readonly DataType[] };

/** Values without properties that a template could read, but for the length of a string. */
export type ScalarName = "string" | "number" | "boolean" | "bigint" | "Date" | "Promise";

export const unknownData: Extract<DataType, { kind: "unknown" }> = { kind: "unknown" };

/** One call of `site.render` or `site.fragment`. */
export interface Render {
  /** The names it may be called with, as they are written; empty when they cannot be read. */
  readonly templates: readonly string[];
  /** True for `render`, which fills the site's layout. */
  readonly whole: boolean;
  /** `render` or `fragment` in `site.render(…)`. */
  readonly at: Span;
  readonly templateAt: Span;
  readonly dataAt: Span;
  readonly data: DataType;
}

/** The call sites and data types that render one site's templates. */
export interface SiteRenders {
  /** `<module>#<variable>` of the site's declaration. */
  readonly site: string;
  /** In source order: path, then position. */
  readonly renders: readonly Render[];
  /** True if templates may also be rendered in unknown ways: the site is passed on, or a name is not a constant. */
  readonly open: boolean;
}

/** The data that a site's templates read. */
export type AccessPathsOf = (site: string, templates: readonly string[], whole: boolean) => AccessPaths;
