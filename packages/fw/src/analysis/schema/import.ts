import type { ESTree } from "rolldown/utils";
import { relativePath } from "../../lib/relative-path.ts";
import type { SourceModule } from "../source/module.ts";
import { frameworkType, markerType } from "./marker.ts";
import { askChecker } from "./type-reading.ts";
import { resolvedType } from "./reference.ts";
import type { TypeScope } from "./type-scope.ts";
import type { Type } from "./type.ts";

/** Evaluates `import("./notes.ts").Note`. */
export function importType(node: ESTree.TSImportType, scope: TypeScope): Type {
  const names = qualifierPath(node.qualifier);
  if (node.source.value === "fw") return frameworkType(names, node, scope);
  const module = importedModule(node.source.value, scope);
  if (!module) return importedMarker(node, names, scope);
  return resolvedType({ kind: "namespace", module }, names, node, scope);
}

function importedModule(source: string, scope: TypeScope): SourceModule | undefined {
  const { project } = scope.reading;
  if (!scope.range) {
    const path = project.resolve(scope.module.path, source);
    return path === undefined ? undefined : project.module(path);
  }
  const base = relativePath(project.root, source);
  if (base.startsWith("..") || base.split("/").includes("node_modules")) return undefined;
  for (const ending of [".ts", ".tsx", ".mts", "/index.ts", ""]) {
    const module = project.module(base + ending);
    if (module) return module;
  }
  return undefined;
}

/** Evaluates a marker that the checker printed with the path of its declaring file. */
function importedMarker(node: ESTree.TSImportType, names: readonly string[], scope: TypeScope): Type {
  const isFw = /\/declare\/(binding|blob|raw|reply)$/.test(node.source.value);
  const type = isFw ? markerType(names.join("."), node, scope) : undefined;
  if (!type) throw askChecker(scope, node);
  return type;
}

function qualifierPath(node: ESTree.TSImportTypeQualifier | null): readonly string[] {
  if (!node) return [];
  return node.type === "Identifier" ? [node.name] : [...qualifierPath(node.left), node.right.name];
}
