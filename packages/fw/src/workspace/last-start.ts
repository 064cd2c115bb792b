import { createHash } from "node:crypto";
import { join } from "node:path";
import { readJSON } from "../lib/read-file.ts";
import type { App } from "../model/app.ts";
import { writeGenerated } from "./write-generated.ts";

/** The file with the state of an application at its last start, relative to the root. */
const lastStartFile = ".fw/gen/last-start.json";

interface RecordedStart {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly declarations: readonly string[];
  readonly modules: Readonly<Record<string, string>>;
}

/** The difference between two starts of a dev server. */
export interface StartChanges {
  /** Milliseconds since the earlier start. */
  readonly age: number;
  /** Paths of modules that were added, changed or removed. */
  readonly modules: readonly string[];
  /** Declarations in words, such as `GET /tasks` and `entity tasks`. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The application at a start, with the source of its modules by path. */
export interface StartedApp {
  readonly root: string;
  readonly app: App;
  readonly sources: ReadonlyMap<string, string>;
}

/** Records a start and returns the changes since the one before; undefined for the first start. */
export function recordStart({ root, app, sources }: StartedApp, now: number = Date.now()): StartChanges | undefined {
  const path = join(root, lastStartFile);
  const before = readJSON(path) as RecordedStart | undefined;
  const modules = Object.fromEntries([...sources].map(([module, text]) => [module, hash(text)]));
  const start: RecordedStart = { at: now, declarations: namesOfDeclarations(app), modules };
  writeGenerated(path, JSON.stringify(start));
  return before && changesBetween(before, start);
}

function changesBetween(before: RecordedStart, start: RecordedStart): StartChanges {
  const paths = new Set([...Object.keys(before.modules), ...Object.keys(start.modules)]);
  return {
    age: start.at - before.at,
    modules: [...paths].filter((path) => before.modules[path] !== start.modules[path]).toSorted(),
    added: start.declarations.filter((name) => !before.declarations.includes(name)),
    removed: before.declarations.filter((name) => !start.declarations.includes(name)),
  };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

/** Names the declarations of an application: `GET /tasks`, `entity tasks`. */
function namesOfDeclarations({ packages }: App): readonly string[] {
  return packages.flatMap(({ declarations }) =>
    declarations.flatMap((declaration) => {
      if ("route" in declaration) return [declaration.route.pattern];
      return "name" in declaration ? [`${declaration.kind} ${declaration.name}`] : [];
    }),
  );
}
