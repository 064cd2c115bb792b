import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root, type When } from "./source-imports.ts";

/** The imports permitted by a row of ARCHITECTURE.md, by layer or wing. */
export interface Permission {
  readonly everything: boolean;
  readonly layers: ReadonlyMap<string, readonly When[]>;
}

export interface LayerRow {
  readonly layer: string;
  readonly folder: string;
  readonly permission: Permission;
}

export interface WingRow {
  readonly wing: string;
  readonly layers: readonly string[];
  readonly permission: Permission;
}

export function layerRows(): LayerRow[] {
  return pageLines()
    .map((line) => /^\| (\S+) +\| `([^`]+)`[^|]*\|([^|]+)\|$/.exec(line))
    .filter((row) => row !== null)
    .map(([, layer = "", folder = "", cell = ""]) => ({ layer, folder, permission: parsePermission(cell.trim()) }));
}

export function wingRows(): WingRow[] {
  return pageLines()
    .map((line) => /^\| \*\*(\w+)\*\* \|[^|]*\| ([\w, ]+) \|([^|]+)\|$/.exec(line))
    .filter((row) => row !== null)
    .map(([, wing = "", layers = "", cell = ""]) => ({
      wing,
      layers: layers.split(", "),
      permission: parsePermission(cell.trim()),
    }));
}

/** Returns the arrows of the page's Mermaid diagram, one string each: `tools --> run`, or `-.->` for types only. */
export function drawnWingImports(): string[] {
  return pageLines().flatMap((line) => {
    const [, from, arrow, targets] = /^(\w+) (-->|-\.->) ([\w &]+)$/.exec(line) ?? [];
    return targets === undefined ? [] : targets.split(" & ").map((to) => `${from} ${arrow} ${to}`);
  });
}

export function permits(permission: Permission | undefined, target: string, when: When): boolean {
  if (permission === undefined) return false;
  return permission.everything || (permission.layers.get(target) ?? []).includes(when);
}

function pageLines(): string[] {
  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  return page.split("\n").map((line) => line.trim());
}

function parsePermission(cell: string): Permission {
  if (cell === "everything") return { everything: true, layers: new Map() };
  if (cell === "nothing") return { everything: false, layers: new Map() };
  const layers = cell.split(",").map((item): [string, readonly When[]] => {
    const [, layer = "", limit] = /^(\S+)(?: \((.+)\))?$/.exec(item.trim()) ?? [];
    return [layer, parseLimit(limit)];
  });
  return { everything: false, layers: new Map(layers) };
}

function parseLimit(limit: string | undefined): readonly When[] {
  switch (limit) {
    case undefined:
      return ["loaded", "typed", "run"];
    case "types only":
      return ["typed"];
    case "when run":
      return ["run"];
    case "types and when run":
      return ["typed", "run"];
    default:
      throw new Error(
        `ARCHITECTURE.md limits imports to "${limit}"; expected "types only", "when run" or "types and when run"`,
      );
  }
}
