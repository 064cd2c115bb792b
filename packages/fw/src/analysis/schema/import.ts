import { relative, sep } from "node:path";
import type { ESTree } from "rolldown/utils";
import type { SourceModule } from "../source/module.ts";
import { frameworkType, marker } from "./marker.ts";
import { unsure } from "./reading.ts";
import { resolvedType } from "./reference.ts";
import type { Scope } from "./scope.ts";
import type { Type } from "./type.ts";

/** `import("./notes.ts").Note`. */
export function importType(node: ESTree.TSImportType, scope: Scope): Type {
  const names = qualifierPath(node.qualifier);
  if (node.source.value === "fw") return frameworkType(names, node, scope);
  const module = importedModule(node.source.value, scope);
  if (!module) return importedMarker(node, names, scope);
  return resolvedType({ kind: "namespace", module }, names, node, scope);
}

function importedModule(source: string, scope: Scope): SourceModule | undefined {
  const { project } = scope.reading;
  if (!scope.place) {
    const path = project.resolve(scope.module.path, source);
    return path === undefined ? undefined : project.module(path);
  }
  const base = relative(project.root, source).split(sep).join("/");
  if (base.startsWith("..") || base.split("/").includes("node_modules")) return undefined;
  for (const ending of [".ts", ".tsx", ".mts", "/index.ts", ""]) {
    const module = project.module(base + ending);
    if (module) return module;
  }
  return undefined;
}

/** The checker names fw's types by the file that declares them. */
function importedMarker(node: ESTree.TSImportType, names: readonly string[], scope: Scope): Type {
  const isFw = /\/declare\/(binding|blob|raw|reply)$/.test(node.source.value);
  const found = isFw ? marker(names.join("."), node, scope) : undefined;
  if (!found) throw unsure(scope, node);
  return found;
}

function qualifierPath(node: ESTree.TSImportTypeQualifier | null): readonly string[] {
  if (!node) return [];
  return node.type === "Identifier" ? [node.name] : [...qualifierPath(node.left), node.right.name];
}
