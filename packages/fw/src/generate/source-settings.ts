import { distinct } from "../lib/grouped.ts";
import type { App, Declaration } from "../model/app.ts";
import { allOfKind, declarationKey, endpointsOf } from "../model/declarations.ts";
import { descriptionOf } from "../model/kinds.ts";
import type { WrittenSettings } from "../lib/written-settings.ts";
import type { ImportLines } from "./import-lines.ts";

/** Settings of endpoints that their rows in the wiring already contain. */
const rowSettings: ReadonlySet<string> = new Set(["allow", "signIn", "private", "maxAge", "invalid"]);

/**
 * Generates the settings as written in the source, which the runtime compares with the loaded ones. Identifies a
 * declaration by reference if the wiring imports it, otherwise by kind and name.
 */
export function settingsText(app: App, lines: ImportLines): readonly string[] {
  const { packages, written } = app;
  if (written === undefined) return [];
  const policies = packages.flatMap(endpointsOf).flatMap(({ settings }) => settings.allow ?? []);
  const imported = packages.flatMap(({ declarations }) => declarations.filter(isImported));
  const rows = [...imported.map(({ declaration }) => declaration), ...distinct(policies, declarationKey)];
  const declarations = rows.flatMap((declaration) => {
    const settings = withoutRows(written[declarationKey(declaration)] ?? {});
    return Object.keys(settings).length === 0
      ? []
      : [`      [${lines.declaration(declaration)}, ${JSON.stringify(settings)}],`];
  });
  const namedRows = allOfKind(packages, "auth", "channel", "alert").map(
    (declared) =>
      `      [${JSON.stringify(labelOf(declared))}, ${JSON.stringify(written[declarationKey(declared.declaration)] ?? {})}],`,
  );
  return ["  written: {", ...list("declarations", declarations), ...list("byLabel", namedRows), "  },"];
}

function list(name: string, rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [`    ${name}: [],`] : [`    ${name}: [`, ...rows, "    ],"];
}

/** True for kinds of declarations that the wiring imports. */
function isImported({ kind }: Declaration): boolean {
  const { byName, readStatically } = descriptionOf(kind);
  return !byName && readStatically === undefined;
}

function withoutRows(settings: WrittenSettings): WrittenSettings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !rowSettings.has(name)));
}

function labelOf(declared: Declaration): string {
  return "name" in declared ? `${declared.kind} ${declared.name}` : declared.kind;
}
