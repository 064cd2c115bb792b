import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../../lib/read-file.ts";

/** The settings for an application without a tsconfig.json: strict, and limited to what Node runs. */
const defaults = {
  compilerOptions: {
    target: "ES2023",
    lib: ["ES2023", "ESNext.Disposable"],
    module: "NodeNext",
    moduleResolution: "NodeNext",
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ["../**/*.ts", "../**/*.mts"],
  exclude: ["../**/node_modules", "../**/.*/*", "../dist"],
};

/**
 * Returns the path of the tsconfig.json to open: the application's own, or defaults written to `.fw/`. Synchronous, so
 * that it never writes after `close`.
 */
export function projectConfig(root: string): string {
  const own = join(root, "tsconfig.json");
  if (existsSync(own)) return own;
  const generated = join(root, ".fw", "tsconfig.json");
  const text = `${JSON.stringify(defaults, null, 2)}\n`;
  if (readText(generated) !== text) {
    mkdirSync(join(root, ".fw"), { recursive: true });
    writeFileSync(generated, text);
  }
  return generated;
}
