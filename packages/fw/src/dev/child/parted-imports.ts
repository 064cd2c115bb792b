import { parseSync } from "rolldown/utils";
import { edited, type Edit } from "../../lib/edits.ts";

/** JavaScript in which `import a, * as b from "c"` is two imports: rolldown's transform for runners loses the first of them. */
export function withPartedImports(code: string): string {
  if (!/,\s*\*\s*as\b/.test(code)) return code;
  const { staticImports } = parseSync("a.js", code, { sourceType: "module" }).module;
  const edits = staticImports.flatMap(({ end, moduleRequest, entries: [first, second] }): readonly Edit[] => {
    if (first?.importName.kind !== "Default" || second?.importName.kind !== "NamespaceObject") return [];
    const from = code.slice(moduleRequest.start, end).replace(/;$/, "");
    const text = `${first.localName.value} from ${from}; import * as ${second.localName.value} from `;
    return [{ start: first.localName.start, end: moduleRequest.start, text }];
  });
  return edited(code, edits);
}
