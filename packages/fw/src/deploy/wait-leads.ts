/**
 * Lets one call at a time try again for each reason to wait, while others wait for that call: many calls that wait
 * for one API ask no more often than one does.
 */
export class WaitLeads {
  readonly #leads = new Map<string, Promise<void>>();

  /** The call that leads the wait for a reason, or undefined if there is none. */
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
