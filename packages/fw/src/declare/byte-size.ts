/** A size in bytes as a literal, in units of 1,024: `"512KB"`, `"10MB"`. */
export type ByteSize = `${number}${"B" | "KB" | "MB" | "GB"}`;
