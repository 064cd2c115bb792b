import type { Chance } from "../types/random.ts";
import { callers, type Caller, type Trigger } from "./callers.ts";
import { operations, type Operation } from "./operations.ts";

/** A caller with its operation, as the test runs it. */
export interface Cell {
  readonly id: string;
  readonly title: string;
  readonly trigger: Trigger;
  readonly signs: Operation["signs"];
  readonly isLive: boolean;
}

export interface RandomApplication {
  readonly files: Readonly<Record<string, string>>;
  readonly cells: readonly Cell[];
}

/** The secrets that the application needs. */
export const secrets: Readonly<Record<string, string>> = { SECRET: "s3cret" };

const frameworkImports = `import { API, Auth, Authenticator, blob, Bucket, Counter, Cron, Entity, Errorf, Feed, Histogram, isNotFound, isTaken, Job, Limit, Mail, Mount, Page, Policy, Queue, Role, Runner, Secret, Singleton, Site, Socket, Subscribe, Topic, transaction, Worker } from "fw";
import type { Connection, Context, Header, HTML, ID, Index, Int, Int64, MailMessage, Query, Ref, Search, Unique } from "fw";
`;

/** A module without declarations, which callers in every package use. */
const libraryPath = "lib/record.ts";
const library = `import type { Context } from "fw";
type Work<T> = (ctx: Context, arg: string) => T;
/** Writes the result of a cell to the log, which every topology has. */
export async function record(ctx: Context, id: string, arg: string, work: Promise<unknown>): Promise<string> {
  const text = await work.then((value) => JSON.stringify(value), (error: unknown) => \`fails \${String(error)}\`);
  ctx.log.info(\`recorded-\${id}-\${arg}-\${Buffer.from(text).toString("hex")}.\`);
  return text;
}
export const wrap = <T>(work: Work<T>): Work<T> => (ctx, arg) => work(ctx, arg);
export function callWith<T>(work: Work<T>, ctx: Context, arg: string): T {
  return work(ctx, arg);
}
`;

/** The declarations for an operation. Several cells may share them and see each other's effects. */
interface Declarations {
  readonly operation: Operation;
  readonly id: string;
  readonly path: string;
}

/** The paths of a cell's modules. */
interface CellPaths {
  readonly c: string;
  readonly s: string;
  readonly d: string;
}

/** Builds an application of several random packages with `count` cells. */
export function randomApplication(chance: Chance, count: number): RandomApplication {
  const draft = new Draft(chance);
  for (let index = 0; index < count; index++) draft.addCell(`${index}x`);
  return draft;
}

class Draft implements RandomApplication {
  readonly files: Record<string, string> = { [libraryPath]: library, ".env": "SECRET=s3cret\n" };
  readonly cells: Cell[] = [];
  readonly #chance: Chance;
  readonly #packages: number;
  /** Packages that already have a site, because each can have only one. */
  readonly #sites = new Set<string>();
  #latest: Declarations | undefined;

  constructor(chance: Chance) {
    this.#chance = chance;
    this.#packages = 1 + chance.below(8);
  }

  addCell(id: string): void {
    const caller = this.#chance.one(callers);
    const paths = {
      c: `${caller.isPrivate ? `c${id}` : this.#package()}/c${id}.ts`,
      s: `${this.#package()}/s${id}.ts`,
      d: `${this.#package()}/d${id}.ts`,
    };
    if (caller.onlyReads && !this.#addLiveSite(paths.c, id)) return;
    const declarations = this.#declare(caller, id);
    const { operation } = declarations;
    this.#write(caller, paths, id, this.#spell(declarations, paths.c, id));
    const title = `${id} ${caller.name}: ${operation.name}`;
    const isLive = caller.onlyReads === true;
    this.cells.push({ id, title, trigger: caller.trigger, signs: operation.signs, isLive });
  }

  #package(): string {
    return `p${this.#chance.below(this.#packages)}`;
  }

  /** Adds a site with the template of a live page to a package; returns false if it already has a site. */
  #addLiveSite(path: string, id: string): boolean {
    const directory = packageOf(path);
    if (this.#sites.has(directory)) return false;
    this.#sites.add(directory);
    const layout = "<!doctype html>\n<html><head><title>x</title></head><body>{{content}}</body></html>";
    this.files[`${directory}/public/templates/layout.html`] = layout;
    this.files[`${directory}/public/templates/live${id}.html`] = "<p>{{text}}</p>";
    return true;
  }

  /** Chooses an operation and declares what it needs, or reuses the declarations of an earlier cell. */
  #declare({ onlyReads, isRequest, atStart }: Caller, id: string): Declarations {
    const fitting = operations.filter((each) => (!onlyReads || each.onlyReads) && (!each.inRequest || isRequest));
    const latest = this.#latest;
    const related = fitting.filter(({ declares }) => declares === latest?.operation.declares);
    if (latest && related.length > 0 && !atStart && this.#chance.below(2) === 0)
      return { ...latest, operation: this.#chance.one(related) };
    const operation = this.#chance.one(fitting);
    const directory = operation.isPrivate || operation.files ? `o${id}` : this.#package();
    const declarations = { operation, id, path: `${directory}/o${id}.ts` };
    if (operation.declares !== "") {
      this.files[declarations.path] = frameworkImports + fill(operation.declares, id);
      // A singleton runs before the other cells.
      if (!atStart) this.#latest = declarations;
    }
    for (const [name, text] of Object.entries(operation.files ?? {})) this.files[`${directory}/${name}`] = text;
    return declarations;
  }

  #write({ modules }: Caller, paths: CellPaths, id: string, { call, before }: Spelling): void {
    const resolve = (text: string, at: string): string =>
      fill(text.replaceAll("RUN", call), id)
        .replaceAll('"C"', JSON.stringify(specifierOf(at, paths.c)))
        .replaceAll('"D"', JSON.stringify(specifierOf(at, paths.d)));
    const helpers = `import { callWith, record, wrap } from "${specifierOf(paths.c, libraryPath)}";\n`;
    this.files[paths.c] = `${frameworkImports}${helpers}${before}${resolve(modules.c, paths.c)}\n`;
    for (const part of ["s", "d"] as const) {
      const text = modules[part];
      if (text !== undefined) this.files[paths[part]] = `${frameworkImports}${resolve(text, paths[part])}\n`;
    }
  }

  /** Writes the code of an operation, next to its caller or elsewhere. */
  #spell(declarations: Declarations, path: string, id: string): Spelling {
    const name = `op${id}`;
    const code = (at: string): string => functionOf(declarations, name, at);
    const elsewhere = (at: string): string => {
      this.files[at] = frameworkImports + code(at).replace(/^const /m, "export const ");
      return specifierOf(path, at);
    };
    const helper = `${this.#package()}/h${id}.ts`;
    const here = code(path);
    switch (this.#chance.below(11)) {
      case 0:
        return { call: `${name}(ctx, arg)`, before: `import { ${name} } from "${elsewhere(`lib/h${id}.ts`)}";\n` };
      case 1:
        return { call: `${name}(ctx, arg)`, before: `import { ${name} } from "${elsewhere(helper)}";\n` };
      case 2:
        return { call: `all${id}.${name}(ctx, arg)`, before: `import * as all${id} from "${elsewhere(helper)}";\n` };
      case 3:
        return this.#exportAgain(elsewhere, { path, helper, name, id });
      case 4:
        return { call: `kit.inner.call(ctx, arg)`, before: `${here}const kit = { inner: { call: ${name} } };\n` };
      case 5:
        return { call: `callWith(${name}, ctx, arg)`, before: here };
      case 6:
        return { call: `wrap(${name})(ctx, arg)`, before: here };
      case 7:
        return { call: `(arg.length >= 0 ? ${name}(ctx, arg) : Promise.resolve(""))`, before: here };
      case 8:
        return { call: `(async () => (await Promise.all([${name}(ctx, arg)]))[0])()`, before: here };
      case 9:
        return { call: `import("${elsewhere(`lib/l${id}.ts`)}").then((all) => all.${name}(ctx, arg))`, before: "" };
      default:
        return { call: `${name}(ctx, arg)`, before: here };
    }
  }

  /** Writes a call of an operation through a module that re-exports it under another name. */
  #exportAgain(
    elsewhere: (at: string) => string,
    { path, helper, name, id }: Readonly<Record<"path" | "helper" | "name" | "id", string>>,
  ): Spelling {
    elsewhere(helper);
    const index = `lib/i${id}.ts`;
    this.files[index] = `export { ${name} as other${id} } from "${specifierOf(index, helper)}";\n`;
    return { call: `other${id}(ctx, arg)`, before: `import { other${id} } from "${specifierOf(path, index)}";\n` };
  }
}

/** The call of an operation, and the code before its caller. */
interface Spelling {
  readonly call: string;
  readonly before: string;
}

/** Returns the function of an operation for a module, with the import of its declarations. */
function functionOf({ operation, id, path }: Declarations, name: string, at: string): string {
  const names = operation.names.map((each) => fill(each, id));
  const own = names.length === 0 ? "" : `import { ${names.join(", ")} } from "${specifierOf(at, path)}";\n`;
  const body = fill(operation.body, id);
  return `${own}const ${name} = async (ctx: Context, arg: string): Promise<unknown> => { ${body} };\n`;
}

function fill(text: string, id: string): string {
  return text.replaceAll("#", id);
}

function packageOf(path: string): string {
  return path.slice(0, path.indexOf("/"));
}

/** Returns the specifier for an import of `path` in `importer`. */
function specifierOf(importer: string, path: string): string {
  return packageOf(importer) === packageOf(path) ? `.${path.slice(path.indexOf("/"))}` : `../${path}`;
}
