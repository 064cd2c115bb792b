/**
 * Lets one call retry for each reason, while others with the same reason wait for it instead of polling the same API.
 */
export class WaitLeads {
  readonly #leads = new Map<string, Promise<void>>();

  /** Returns the wait of the call that retries for the reason, if any. */
  of(reason: string): Promise<void> | undefined {
    return this.#leads.get(reason);
  }

  /** Makes the caller the one that retries for the reason, until it calls the returned function. */
  take(reason: string): () => void {
    const ending = new AbortController();
    this.#leads.set(reason, new Promise((resolve) => ending.signal.addEventListener("abort", () => resolve())));
    return () => {
      this.#leads.delete(reason);
      ending.abort();
    };
  }
}
