import type { App } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { FailedBuild } from "../workspace/site/builds.ts";
import { textsBelow } from "../lib/read-file.ts";
import type { LoadOutcome } from "./app/pending-load.ts";
import type { Exit } from "./app/process.ts";
import { routeClashes } from "./clashes.ts";
import type { DevConsole, ServingState } from "./console.ts";
import { initialState, type LiveState, type Problem } from "./live/state.ts";
import { diagnosticProblem, exitSentence, failureProblem } from "./problems.ts";
import type { Failure } from "./protocol.ts";

interface DisplayParts {
  /** The application's directory, absolute. */
  readonly root: string;
  readonly console: DevConsole;
  readonly standing: () => ServingState;
  /** Builds of sites that failed and have not succeeded since. */
  readonly failedBuilds: () => readonly FailedBuild[];
  /** Sends the state to open pages. */
  readonly publish: (state: LiveState) => void;
}

/** Shows the application's state in the terminal and in open pages. */
export class Display {
  readonly #parts: DisplayParts;
  readonly #source: (path: string) => string | undefined;
  #state: LiveState = initialState;
  #shownClashes = "";

  constructor(parts: DisplayParts) {
    this.#parts = parts;
    this.#source = textsBelow(parts.root);
  }

  /** The build number of the last version that went live. */
  get build(): number {
    return this.#state.build;
  }

  /** Shows problems that the analysis has found, which keep the code on disk from going live. */
  showProblems(diagnostics: readonly Diagnostic[]): void {
    this.#publish({ errors: diagnostics.map((diagnostic) => this.#problem(diagnostic)) });
    this.#parts.console.rejected(diagnostics, this.#parts.standing());
  }

  /** Shows why the code on disk cannot run and does not go live. */
  failed(outcome: Exclude<LoadOutcome, { kind: "loaded" | "overtaken" }>): void {
    const failure = "failure" in outcome ? outcome.failure : failureOf(outcome.exit);
    this.#showFailure(failure);
    this.#parts.console.failed(failure, this.#parts.standing());
  }

  /** Shows that the application with this build number is live. */
  live(build: number): void {
    this.#publish({ build, errors: [] });
  }

  /** Updates pages after site files change. Returns false while there are errors: fixing them updates the pages. */
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
    this.#tellExit(exit, "fw restarts it");
  }

  gaveUp(exit: Exit): void {
    this.#tellExit(exit, "save a fix to restart it");
    this.#showFailure(failureOf(exit));
  }

  /**
   * Reports routes that clash on the dev server's single port. They are not an error: in a deploy, they belong to
   * different services.
   */
  clashes(app: App): void {
    const clashes = routeClashes(app);
    const key = clashes
      .map(({ winner: kept, loser: lost }) => `${kept.route.pattern} ${lost.declaration.module}`)
      .join("\n");
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
    return diagnosticProblem(diagnostic, this.#parts.root, this.#source);
  }
}

function buildProblem({ message, output }: FailedBuild): Problem {
  return { code: "build", message, frame: output };
}

function failureOf(exit: Exit): Failure {
  return exit.failure ?? { message: exitSentence(exit) };
}
