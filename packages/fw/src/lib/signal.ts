/** An event that happens only once. */
export class Signal {
  readonly raised: Promise<void>;
  isRaised = false;
  #resolve: (() => void) | undefined;

  constructor() {
    this.raised = new Promise((resolve) => (this.#resolve = resolve));
  }

  raise(): void {
    this.isRaised = true;
    this.#resolve?.();
  }
}
