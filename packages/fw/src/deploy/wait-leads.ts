/**
 * Lets one call retry for each reason to wait while the others wait for it, so that many calls do not poll the same
 * API.
 */
export class WaitLeads {
  readonly #leads = new Map<string, Promise<void>>();

  /** Returns the call that leads the wait, if any. */
  of(reason: string): Promise<void> | undefined {
    return this.#leads.get(reason);
  }

  /** Leads the wait for a reason until the returned function is called. */
  take(reason: string): () => void {
    const ending = new AbortController();
    this.#leads.set(reason, new Promise((resolve) => ending.signal.addEventListener("abort", () => resolve())));
    return () => {
      this.#leads.delete(reason);
      ending.abort();
    };
  }
}
