/** A duration as a literal: `"500ms"`, `"30s"`, `"15m"`, `"12h"`, `"7d"`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h" | "d"}`;
