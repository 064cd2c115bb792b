import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../../lib/read-file.ts";

/** What an application without a tsconfig.json is checked with: strict, and what Node runs as it stands. */
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

/** Path of the tsconfig.json to open: the application's own, or the defaults, at once written to `.fw/`, so that nothing is after a close. */
export function projectConfig(root: string): string {
  const own = join(root, "tsconfig.json");
  if (existsSync(own)) return own;
  const made = join(root, ".fw", "tsconfig.json");
  const text = `${JSON.stringify(defaults, null, 2)}\n`;
  if (readText(made) !== text) {
    mkdirSync(join(root, ".fw"), { recursive: true });
    writeFileSync(made, text);
  }
  return made;
}
