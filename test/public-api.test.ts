import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const fw = fileURLToPath(new URL("../packages/fw", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

const { name, exports } = JSON.parse(readFileSync(join(fw, "package.json"), "utf8")) as Manifest;
const entries = Object.entries(exports).flatMap(([subpath, target]): [string, string][] =>
  typeof target === "string" ? [] : [[name + subpath.slice(1), join(fw, target.types)]],
);

test.each(entries)(
  "what %s exports is what was agreed on (npm run golden to agree on another)",
  async (specifier, types) => {
    await expect(surface(types)).toMatchFileSnapshot(join(fw, "api", `${specifier.replaceAll("/", "-")}.d.ts`));
  },
);

/** Returns the declarations of the entry and then of the files that it re-exports, in order. */
function surface(entry: string): string {
  const text = readFileSync(entry, "utf8");
  const files = [...text.matchAll(/^export .* from "(\.\/[^"]+)\.ts";$/gm)].map((match) => `${match[1]}.d.ts`);
  const parts = [entry, ...new Set(files.map((file) => join(dirname(entry), file)))];
  return parts.map((file) => `// ${basename(file)}\n${withoutMap(readFileSync(file, "utf8"))}`).join("\n");
}

function withoutMap(declarations: string): string {
  return declarations.replace(/^\/\/# sourceMappingURL=.*\n?/m, "");
}
