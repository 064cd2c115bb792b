import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { testing } from "../../lib/own-modules.ts";
import { textsBelow } from "../../lib/read-file.ts";
import type { Change } from "../../workspace/watch/watcher.ts";
import { Workspace, type Contents, type WatchEvents, type WorkspaceOptions } from "../../workspace/workspace.ts";
import { printText } from "../print/text.ts";
import { problems } from "../sound.ts";
import type { TestLoadOrder } from "./load-first.ts";

/** The generated modules that tests run with, or why there are none. */
export interface Wiring {
  /** Texts by the specifier that they are imported with. */
  readonly files: Readonly<Record<string, string>>;
  /** Names of declarations that a module exports to them, by absolute path. */
  readonly exposed: Readonly<Record<string, readonly string[]>>;
  /** The order for modules that import each other. */
  readonly loadOrder: TestLoadOrder;
  /** While there is one there are no files, and nothing runs. */
  readonly refusal: TestRefusal | undefined;
  /** False where the application declares nothing. */
  readonly declares: boolean;
}

/** Why no test runs. */
export interface TestRefusal {
  /** All there is to know. */
  readonly text: (colour: boolean) => string;
  readonly sentence: string;
}

const applications = new Map<string, TestedApplication>();

/** The application at `root` as its tests see it: read once, however many plugins ask for it. */
export function testedApplication(root: string, env: WorkspaceOptions["env"]): TestedApplication {
  const known = applications.get(root) ?? new TestedApplication(root, env);
  applications.set(root, known);
  return known;
}

/** An application as its tests see it: its sites are built, and it is told what changes. */
export class TestedApplication {
  readonly root: string;
  readonly #workspace: Workspace;
  #wiring: Promise<Wiring>;

  constructor(root: string, env: WorkspaceOptions["env"]) {
    this.root = root;
    // Whether a build command failed is asked for when all have ended.
    this.#workspace = new Workspace({ root, env, builds: { failed: () => {}, recovered: () => {} } });
    this.#wiring = this.#workspace.read().then((contents) => this.#wire(contents));
  }

  /** As it is after the last change that was told. */
  wiring(): Promise<Wiring> {
    return this.#wiring;
  }

  watch(events: WatchEvents): void {
    this.#workspace.watch(events);
  }

  /** Reads what changed; `wiring` waits for it, and for the build commands that read it. */
  changed(changes: readonly Change[]): void {
    this.#wiring = this.#wiring.then(async () => {
      await this.#workspace.update(this.#workspace.classify(changes));
      return this.#wire(await this.#workspace.settled());
    });
  }

  close(): void {
    applications.delete(this.root);
    this.#workspace.close();
  }

  #wire(contents: Contents): Wiring {
    const refusal = this.#refusalOf(contents);
    const declares = contents.app.packages.length > 0;
    const snapshot = refusal === undefined ? this.#workspace.snapshot() : undefined;
    const loadOrder = this.#loadOrder(contents);
    if (snapshot === undefined) return { files: {}, exposed: {}, loadOrder, refusal, declares };
    const files = { ...snapshot.files, "fw/testing": testingText(snapshot.entry) };
    return { files, exposed: snapshot.exposed, loadOrder, refusal, declares };
  }

  #loadOrder({ app: { loadOrder } }: Contents): TestLoadOrder {
    const absolute = (path: string): string => join(this.root, path);
    const { first = [], imports = {} } = loadOrder ?? {};
    return { first: first.map(absolute), inCycles: Object.keys(imports).map(absolute) };
  }

  #refusalOf({ diagnostics }: Contents): TestRefusal | undefined {
    const source = textsBelow(this.root);
    if (diagnostics.length > 0)
      return {
        text: (colour) => printText(diagnostics, { colour, source }),
        sentence: `the application has ${problems(diagnostics)}, so no test was run; "fw check" shows what`,
      };
    const [failed] = this.#workspace.failedBuilds;
    if (failed === undefined) return undefined;
    return { text: () => failed.output, sentence: `${failed.message}; no test was run` };
  }
}

/** The module that tests import as `fw/testing`: its `newTestApp` loads the application through the tests' own modules. */
function testingText(entry: string): string {
  return [
    `import { checkedTestApps } from ${literalURL(testing.load)};`,
    `export * from ${literalURL(testing.index)};`,
    `export const newTestApp = checkedTestApps(() => import(${JSON.stringify(entry)}));`,
    "",
  ].join("\n");
}

function literalURL(file: string): string {
  return JSON.stringify(pathToFileURL(file).href);
}
