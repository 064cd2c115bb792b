import type { Span } from "./diagnostic.ts";

/** A step into a value: a property by name, or `item` for each item of `{{#each}}`. */
export type Step = string | typeof item;
export const item = null;

/** The parts of a value that a template reads: some of its properties, and its items. */
export interface AccessPaths {
  readonly properties: ReadonlyMap<string, AccessPaths>;
  readonly items?: AccessPaths;
}

/** The type of a template's data, as deep as needed. Parts that are not needed or not certain are unknown. */
export type DataType =
  | { readonly kind: "unknown" }
  /** `undefined` or `null`. */
  | { readonly kind: "nothing" }
  | { readonly kind: "scalar"; readonly name: ScalarName }
  | { readonly kind: "list"; readonly items: DataType }
  /** All of its named properties; `rest` is the type under any other key. */
  | { readonly kind: "object"; readonly properties: ReadonlyMap<string, DataType>; readonly rest?: DataType }
  /** One of these types, or all of them combined: `{ ...note, title }`. */
  | { readonly kind: "union"; readonly members: readonly DataType[] };

/** Values without properties that a template can read, except the length of a string. */
export type ScalarName = "string" | "number" | "boolean" | "bigint" | "Date" | "Promise";

export const unknownData: Extract<DataType, { kind: "unknown" }> = { kind: "unknown" };

/** One call of `site.render` or `site.fragment`. */
export interface Render {
  /** The template names that the call may pass, as written; empty if they cannot be determined. */
  readonly templates: readonly string[];
  /** True for `render`, which uses the site's layout. */
  readonly whole: boolean;
  /** The location of `render` or `fragment` in `site.render(…)`. */
  readonly at: Span;
  readonly templateAt: Span;
  readonly dataAt: Span;
  readonly data: DataType;
  /** True if a Mail renders it; the title of the document is the subject. */
  readonly isMail?: true;
}

/** The call sites and data types that render one site's templates. */
export interface SiteRenders {
  /** `<module>#<variable>` of the site's declaration. */
  readonly site: string;
  /** In source order: path, then position. */
  readonly renders: readonly Render[];
  /**
   * True if templates may also be rendered in unknown ways, because the site is passed on or a name is not constant.
   */
  readonly open: boolean;
}

/** Returns the parts of the data that a site's templates read. */
export type AccessPathsOf = (site: string, templates: readonly string[], whole: boolean) => AccessPaths;
