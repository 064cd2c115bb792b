import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { testing } from "../../lib/own-modules.ts";
import { textsBelow } from "../../lib/read-file.ts";
import type { Change } from "../../workspace/watch/watcher.ts";
import { Workspace, type Contents, type WatchEvents, type WorkspaceOptions } from "../../workspace/workspace.ts";
import { printText } from "../print/text.ts";
import { problemCount } from "../checked-app.ts";
import type { TestLoadOrder } from "./load-order.ts";

/** The generated modules for tests, or the reason why there are none. */
export interface Wiring {
  /** Texts by import specifier. */
  readonly files: Readonly<Record<string, string>>;
  /** The names of declarations that a module exposes to generated modules, by absolute path. */
  readonly exposed: Readonly<Record<string, readonly string[]>>;
  /** The load order of modules in import cycles. */
  readonly loadOrder: TestLoadOrder;
  /** Set while the application has problems; `files` is then empty. */
  readonly refusal: TestRefusal | undefined;
  /** False if the application declares nothing. */
  readonly declares: boolean;
}

/** The reason why no test runs. */
export interface TestRefusal {
  readonly text: (colour: boolean) => string;
  readonly sentence: string;
}

const applications = new Map<string, TestedApplication>();

/** Returns the application at `root` for its tests. Reads it only once, even for several plugins. */
export function testedApplication(root: string, env: WorkspaceOptions["env"]): TestedApplication {
  const application = applications.get(root) ?? new TestedApplication(root, env);
  applications.set(root, application);
  return application;
}

/** Keeps the wiring of an application up to date: builds its sites and applies changes. */
export class TestedApplication {
  readonly root: string;
  readonly #workspace: Workspace;
  #wiring: Promise<Wiring>;

  constructor(root: string, env: WorkspaceOptions["env"]) {
    this.root = root;
    // `failedBuilds` reports failed site builds once all have ended.
    this.#workspace = new Workspace({ root, env, builds: { failed: () => {}, recovered: () => {} } });
    this.#wiring = this.#workspace.read().then((contents) => this.#wire(contents));
  }

  /** Resolves with the wiring after the latest change. */
  wiring(): Promise<Wiring> {
    return this.#wiring;
  }

  watch(events: WatchEvents): void {
    this.#workspace.watch(events);
  }

  /** Applies changes; `wiring` then waits for them and for the affected site builds. */
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
        sentence: `the application has ${problemCount(diagnostics)}, so no test ran`,
      };
    const [failed] = this.#workspace.failedBuilds;
    if (failed === undefined) return undefined;
    return { text: () => failed.output, sentence: `${failed.message}; no test ran` };
  }
}

/**
 * Generates the module that tests import as `fw/testing`. Its `newTestApp` loads the application with the tests' own
 * modules.
 */
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
