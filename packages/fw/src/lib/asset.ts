/** One way to send a static file: unchanged, or precompressed in a sibling file. */
export interface AssetVariant {
  readonly encoding: "identity" | "br" | "gzip";
  /** The size in bytes. */
  readonly size: number;
  /** A strong validator for exactly these bytes, without quotes. */
  readonly etag: string;
}

/** The file name suffixes of compressed siblings, by encoding. */
export const variantSuffix: Readonly<Record<AssetVariant["encoding"], string>> = {
  identity: "",
  br: ".br",
  gzip: ".gz",
};

/** The ways to send a file. The file itself comes first. */
export type AssetVariants = readonly [AssetVariant, ...AssetVariant[]];

/** The files of a site by path (`docs/app.css`). */
export type AssetTable = Readonly<Record<string, AssetVariants>>;
