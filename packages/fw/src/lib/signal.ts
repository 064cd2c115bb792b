/** Something that happens once, for which others wait. */
export class Signal {
  readonly given: Promise<void>;
  isGiven = false;
  #resolve: (() => void) | undefined;

  constructor() {
    this.given = new Promise((resolve) => (this.#resolve = resolve));
  }

  give(): void {
    this.isGiven = true;
    this.#resolve?.();
  }
}
