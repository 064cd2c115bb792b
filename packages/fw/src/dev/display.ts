import type { App } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { FailedBuild } from "../workspace/site/builds.ts";
import { textsBelow } from "../lib/read-file.ts";
import type { LoadOutcome } from "./app/pending-load.ts";
import type { Exit } from "./app/process.ts";
import { routeClashes } from "./clashes.ts";
import type { DevConsole, Standing } from "./console.ts";
import { initialState, type LiveState, type Problem } from "./live/state.ts";
import { diagnosticProblem, exitSentence, failureProblem } from "./problems.ts";
import type { Failure } from "./protocol.ts";

interface DisplayParts {
  /** The application's directory, absolute. */
  readonly root: string;
  readonly console: DevConsole;
  readonly standing: () => Standing;
  /** Builds of sites that failed, which stay until they succeed. */
  readonly failedBuilds: () => readonly FailedBuild[];
  /** Takes what open pages are to know from now on. */
  readonly publish: (state: LiveState) => void;
}

/** What the terminal and the open pages are shown of the application's state. */
export class Display {
  readonly #parts: DisplayParts;
  readonly #source: (path: string) => string | undefined;
  #state: LiveState = initialState;
  #shownClashes = "";

  constructor(parts: DisplayParts) {
    this.#parts = parts;
    this.#source = textsBelow(parts.root);
  }

  /** The number of the application that went live last. */
  get build(): number {
    return this.#state.build;
  }

  /** The code on disk is not sound, so it does not go live. */
  refused(diagnostics: readonly Diagnostic[]): void {
    this.#publish({ errors: diagnostics.map((diagnostic) => this.#problem(diagnostic)) });
    this.#parts.console.refused(diagnostics, this.#parts.standing());
  }

  /** The code on disk cannot run, so it does not go live. */
  failed(outcome: Exclude<LoadOutcome, { kind: "loaded" | "overtaken" }>): void {
    const failure = "failure" in outcome ? outcome.failure : failureOf(outcome.exit);
    this.#showFailure(failure);
    this.#parts.console.failed(failure, this.#parts.standing());
  }

  /** An application answers that has this number. */
  live(build: number): void {
    this.#publish({ build, errors: [] });
  }

  /** Files of sites changed; while errors stand they show with the code that mends these. Answers whether they show. */
  assetsChanged(paths: readonly string[]): boolean {
    const { errors, build, styles } = this.#state;
    if (errors.length > 0) return false;
    const onlyStyles = paths.every((path) => path.endsWith(".css"));
    this.#publish(onlyStyles ? { styles: styles + 1 } : { build: build + 1 });
    return true;
  }

  typesChecked(diagnostics: readonly Diagnostic[]): void {
    const warnings = diagnostics.map((diagnostic) => this.#problem(diagnostic));
    if (JSON.stringify(warnings) === JSON.stringify(this.#state.warnings)) return;
    this.#publish({ warnings });
    this.#parts.console.typeErrors(diagnostics);
  }

  buildFailuresChanged(): void {
    this.#publish({});
  }

  crashed(exit: Exit): void {
    this.#tellExit(exit, "it is started again");
  }

  gaveUp(exit: Exit): void {
    this.#tellExit(exit, "saving a fix starts it again");
    this.#showFailure(failureOf(exit));
  }

  /** Tells of routes that only one port cannot serve both; once deployed they answer different requests, so this is no error. */
  clashes(app: App): void {
    const clashes = routeClashes(app);
    const key = clashes.map(({ kept, lost }) => `${kept.route.pattern} ${lost.declaration.module}`).join("\n");
    if (key !== "" && key !== this.#shownClashes) this.#parts.console.clashes(clashes);
    this.#shownClashes = key;
  }

  #tellExit(exit: Exit, next: string): void {
    this.#parts.console.crashed(`${exitSentence(exit)}; ${next}`, exit.failure?.stack);
  }

  #showFailure(failure: Failure): void {
    this.#publish({ errors: [failureProblem(failure, this.#parts.root, this.#source)] });
  }

  #publish(change: Partial<LiveState>): void {
    const own = change.errors ?? this.#state.errors.filter(({ code }) => code !== "build");
    this.#state = { ...this.#state, ...change, errors: [...own, ...this.#parts.failedBuilds().map(buildProblem)] };
    this.#parts.publish(this.#state);
  }

  #problem(diagnostic: Diagnostic): Problem {
    return diagnosticProblem(diagnostic, this.#source);
  }
}

function buildProblem({ message, output }: FailedBuild): Problem {
  return { code: "build", message, frame: output };
}

function failureOf(exit: Exit): Failure {
  return exit.failure ?? { message: exitSentence(exit) };
}
