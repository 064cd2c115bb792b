/** One way a static file can be sent: as it is, or compressed ahead of time in a sibling file. */
export interface AssetVariant {
  readonly encoding: "identity" | "br" | "gzip";
  /** Bytes. */
  readonly size: number;
  /** Strong validator of these very bytes, bare. */
  readonly etag: string;
}

/** The file name suffix of each encoding's compressed sibling. */
export const variantSuffix: Readonly<Record<AssetVariant["encoding"], string>> = {
  identity: "",
  br: ".br",
  gzip: ".gz",
};

/** The ways to send a file; the file itself comes first. */
export type AssetVariants = readonly [AssetVariant, ...AssetVariant[]];

/** The files of a site by path (`docs/app.css`). */
export type AssetTable = Readonly<Record<string, AssetVariants>>;
