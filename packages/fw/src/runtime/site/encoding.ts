import type { AssetVariant, AssetVariants } from "../../lib/asset.ts";

type Encoding = AssetVariant["encoding"];

const preference: readonly Encoding[] = ["br", "gzip", "identity"];

/** The variant a client likes best by its Accept-Encoding; of those it likes equally, the first of br, gzip, identity. */
export function chooseVariant(variants: AssetVariants, acceptEncoding: string | undefined): AssetVariant {
  let best = variants[0];
  if (variants.length === 1 || acceptEncoding === undefined) return best;
  const weights = acceptedWeights(acceptEncoding);
  let bestWeight = 0;
  for (const encoding of preference) {
    const variant = variants.find((v) => v.encoding === encoding);
    const weight = weightOf(encoding, weights);
    if (variant !== undefined && weight > bestWeight) [best, bestWeight] = [variant, weight];
  }
  return best;
}

function weightOf(encoding: Encoding, weights: ReadonlyMap<string, number>): number {
  const stated = weights.get(encoding) ?? weights.get("*");
  // What is not named is not acceptable, but for the file as it is, which comes last then.
  return stated ?? (encoding === "identity" ? 0.0001 : 0);
}

/** The q values of an Accept-Encoding header by lower-case name. */
function acceptedWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const weight = q === undefined ? 1 : Number(q);
    if (name !== "" && weight >= 0 && weight <= 1) weights.set(name === "x-gzip" ? "gzip" : name, weight);
  }
  return weights;
}
