import { join } from "node:path";
import type { Analysis } from "../../analysis/index.ts";
import { sortChanges } from "../../dev/changes.ts";
import { Engine, sitesOf, type Built } from "../../dev/engine.ts";
import type { Change } from "../../dev/watch/watcher.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { testingText } from "./testing-text.ts";

/** The generated modules that tests run with, or what is wrong with the application. */
export interface Wiring {
  /** Texts by the specifier that they are imported with. */
  readonly files: Readonly<Record<string, string>>;
  /** Names of declarations that a module exports to them, by absolute path. */
  readonly exposed: Readonly<Record<string, readonly string[]>>;
  /** While any stands there are no files, and nothing runs. */
  readonly diagnostics: readonly Diagnostic[];
  /** False where the application declares nothing. */
  readonly declares: boolean;
}

const applications = new Map<string, TestedApplication>();

/** The application at `root` as its tests see it: read once, however many plugins ask for it. */
export function testedApplication(root: string): TestedApplication {
  const known = applications.get(root) ?? new TestedApplication(root);
  applications.set(root, known);
  return known;
}

/** An application as its tests see it; follows its files. */
export class TestedApplication {
  readonly root: string;
  readonly #engine: Engine;
  #sites: readonly string[] = [];
  #wiring: Promise<Wiring>;

  constructor(root: string) {
    this.root = root;
    this.#engine = new Engine(root);
    this.#wiring = this.#engine.analyze().then((analysis) => this.#wire(analysis));
  }

  /** As it is after the last change that was told. */
  wiring(): Promise<Wiring> {
    return this.#wiring;
  }

  /** Reads what changed; `wiring` waits for it. */
  changed(changes: readonly Change[]): void {
    this.#wiring = this.#wiring.then(async () => this.#wire(await this.#reread(changes)));
  }

  close(): void {
    applications.delete(this.root);
    this.#engine.close();
  }

  #reread(changes: readonly Change[]): Promise<Analysis> {
    const { project, modules } = sortChanges(changes, this.root, this.#sites);
    return project ? this.#engine.reopen() : this.#engine.update(modules);
  }

  #wire(analysis: Analysis): Wiring {
    const built = this.#engine.build(analysis, () => false);
    this.#sites = sitesOf(built.app).map((site) => join(this.root, site.dir));
    return wiringOf(built);
  }
}

function wiringOf({ app, snapshot, diagnostics }: Built): Wiring {
  const files = snapshot === undefined ? {} : { ...snapshot.files, "fw/testing": testingText(snapshot.entry) };
  return { files, exposed: snapshot?.exposed ?? {}, diagnostics, declares: app.packages.length > 0 };
}
