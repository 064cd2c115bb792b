import { join, posix } from "node:path";
import { declarationsIn } from "../resolution/declarations.ts";
import { isFile } from "../source/files.ts";
import { importedPaths, specifiersOf } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { isRelative } from "../source/resolve.ts";
import type { Untraced } from "./untraced.ts";

/** Files that declare something and are no source of the application, although it imports them or they stand among its own. */
export function leftOutFiles(project: Project, modules: readonly SourceModule[]): readonly Untraced[] {
  const own = new Set(project.files());
  const known = new Map<string, string | undefined>();
  const imported = modules.flatMap((module) => importsLeftOut(project, module, own, known));
  const met = new Set(imported.flatMap(({ path }) => path));
  return [...imported, ...project.scripts().flatMap((path) => scriptLeftOut(project, path, met))];
}

interface LeftOut extends Untraced {
  readonly path: string;
}

function importsLeftOut(
  project: Project,
  module: SourceModule,
  own: ReadonlySet<string>,
  known: Map<string, string | undefined>,
): readonly LeftOut[] {
  return [...specifiersOf(module)].flatMap((specifier): readonly LeftOut[] => {
    const path = project.resolve(module.path, specifier) ?? scriptNamed(project, module, specifier);
    if (path === undefined || own.has(path)) return [];
    const declaring = declaringBehind(project, path, own, known);
    if (declaring === undefined) return [];
    const statement = module.program.body.find((each) => "source" in each && each.source?.value === specifier);
    const at = spanOf(
      module,
      statement && "source" in statement && statement.source ? statement.source : module.program,
    );
    return [
      {
        path: declaring,
        at,
        message: `${declaring} declares something, and it is no source of this application: ${why(declaring)}`,
        hint: hint(declaring),
      },
    ];
  });
}

/** The JavaScript file that a relative import means. */
function scriptNamed(project: Project, { path }: SourceModule, specifier: string): string | undefined {
  if (!isRelative(specifier)) return undefined;
  const file = posix.join(posix.dirname(path), specifier);
  const candidates = ["", ".js", ".mjs", ".cjs", ".jsx", "/index.js", "/index.mjs"].map((end) => file + end);
  return candidates.find((each) => /\.[cm]?jsx?$/.test(each) && isFile(join(project.root, each)));
}

/** The first file that declares something among one that is left out and what it imports; none where no such is. */
function declaringBehind(
  project: Project,
  start: string,
  own: ReadonlySet<string>,
  known: Map<string, string | undefined>,
): string | undefined {
  if (known.has(start)) return known.get(start);
  const seen = new Set([start]);
  let found: string | undefined;
  for (const path of seen) {
    const module = project.module(path);
    if (!module) continue;
    if (declares(project, module)) {
      found = path;
      break;
    }
    for (const next of importedPaths(project, module)) if (!own.has(next)) seen.add(next);
  }
  known.set(start, found);
  return found;
}

function scriptLeftOut(project: Project, path: string, met: ReadonlySet<string>): readonly Untraced[] {
  const module = met.has(path) ? undefined : project.module(path);
  if (!module || !/["'](?:fw)["']/.test(module.text) || !declares(project, module)) return [];
  const [first] = module.program.body;
  const at = spanOf(module, first ?? module.program);
  return [{ at, message: `this file declares something, and fw does not read it: ${why(path)}`, hint: hint(path) }];
}

function declares(project: Project, module: SourceModule): boolean {
  return declarationsIn(project, module).length > 0;
}

function why(path: string): string {
  if (/\.[cm]?jsx?$/.test(path)) return "it is JavaScript";
  if (path.endsWith(".cts")) return "it is a CommonJS module";
  if (/\.(?:test|spec)\.\w+$/.test(path)) return "it has the name of a test";
  if (path.startsWith("../")) return "it stands outside of the application's directory";
  if (/(?:^|\/)(?:dist|node_modules|\.[^/]+)\//.test(path)) return "it stands in a directory for what tools make";
  return "a directory with its own package.json is another one";
}

function hint(path: string): string {
  if (/\.[cm]?jsx?$/.test(path)) return "write it in TypeScript: give it the name of a .ts file";
  if (path.endsWith(".cts")) return "give it the name of a .ts file";
  if (/\.(?:test|spec)\.\w+$/.test(path)) return "move what is declared into a file that is no test";
  return "move what is declared into a directory of this application";
}
