import type { BuiltService } from "../../build/build.ts";
import { largestParts } from "../../build/parts.ts";
import { columns } from "../../lib/columns.ts";
import { kilobytes } from "./sizes.ts";

/** Lists the largest parts of each service's code, with the reason why the service contains each part. */
export function whyText(services: readonly BuiltService[]): string {
  return services.map((built) => `\n${whyLines(built).join("\n")}\n`).join("");
}

function whyLines(built: BuiltService): readonly string[] {
  const code = built.files.filter(({ name }) => name.endsWith(".js"));
  const bytes = (files: typeof code): number => files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const loaded = bytes(code.filter(({ isLoadedAtStart }) => isLoadedAtStart === true));
  const rows = largestParts(built).map(({ name, bytes: size, isLoadedAtStart, reason }) => [
    kilobytes(size),
    name,
    isLoadedAtStart ? "" : "loaded later",
    reason,
  ]);
  return [
    `${built.service.name}: ${kilobytes(loaded)} loaded at start, of ${kilobytes(bytes(code))}`,
    ...columns(rows, { right: [0] }).map((line) => `  ${line}`),
  ];
}
