import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));

/** The compiled modules of the packages, which Node imports natively. */
export const compiledModules: RegExp = /\/packages\/(?:fw|fake-cloud)\/dist\//;

/**
 * Provides tests with the packages' compiled modules, which the build before the tests has made from the same sources.
 * Transforming each source again and running it in the module runner would take longer than most tests.
 */
export function builtModules(): Plugin {
  return {
    name: "built-modules",
    enforce: "pre",
    resolveId(specifier, importer) {
      if (importer === undefined || !specifier.startsWith(".") || !specifier.endsWith(".ts")) return undefined;
      return compiledPath(join(dirname(importer), specifier));
    },
  };
}

function compiledPath(source: string): string | undefined {
  if (!source.startsWith(packages) || source.endsWith(".test.ts")) return undefined;
  const path = source.replace(/^(.*\/packages\/[^/]+)\/src\/(.*)\.ts$/, "$1/dist/$2.js");
  return path !== source && existsSync(path) ? path : undefined;
}
