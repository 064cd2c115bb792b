import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

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

/** Path of the tsconfig.json to open: the application's own, or the defaults written to `.fw/`. */
export async function projectConfig(root: string): Promise<string> {
  const own = join(root, "tsconfig.json");
  if (existsSync(own)) return own;
  const made = join(root, ".fw", "tsconfig.json");
  const text = `${JSON.stringify(defaults, null, 2)}\n`;
  if ((await readFile(made, "utf8").catch(() => "")) !== text) {
    await mkdir(join(root, ".fw"), { recursive: true });
    await writeFile(made, text);
  }
  return made;
}
