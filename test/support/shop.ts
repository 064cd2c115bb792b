import { expect } from "vitest";

export interface Answer {
  readonly status: number;
  /** The object in the response; `{ id: "" }` if the response is empty. */
  readonly body: {
    readonly id: string;
    readonly status?: string;
    readonly count?: number;
    readonly items?: readonly { readonly id: string; readonly status: string }[];
    readonly next?: string;
  };
}

/** A user of the shop, with a session cookie. */
export class Customer {
  readonly #url: string;
  readonly #cookie: string;

  private constructor(url: string, cookie: string) {
    this.#url = url;
    this.#cookie = cookie;
  }

  static async signIn(url: string, name: "alice" | "bob", ...roles: string[]): Promise<Customer> {
    const response = await fetch(`${url}/_fw/api/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ dev_user: name, role: roles }),
    });
    expect(response.status).toBe(200);
    return new Customer(url, response.headers.getSetCookie()[0]?.split(";")[0] ?? "");
  }

  async send(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { cookie: this.#cookie, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? { id: "" } : (JSON.parse(text) as Answer["body"]) };
  }

  async get(path: string): Promise<Answer> {
    return this.send("GET", path);
  }

  /**
   * Sends a request, and repeats it while services are down: while there is no response, or a status of 500 or more.
   */
  async surely(method: string, path: string, body?: object): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.send(method, path, body).catch(() => undefined);
      if (answer !== undefined && answer.status < 500) return answer;
      if (tries === 4_000) throw new Error(`${method} ${path} is not answered`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Returns the ids of a customer's orders once all are paid, even if a response was lost. */
export async function settledOrders(customer: Customer): Promise<Set<string>> {
  for (;;) {
    const all: { readonly id: string; readonly status: string }[] = [];
    for (let after: string | undefined = ""; after !== undefined;) {
      const page = await customer.surely("GET", `/orders${after === "" ? "" : `?after=${encodeURIComponent(after)}`}`);
      all.push(...(page.body.items ?? []));
      after = page.body.next;
    }
    if (all.every(({ status }) => status === "paid")) return new Set(all.map(({ id }) => id));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Waits for an order's shipment, long enough for a repeated delivery, so that late messages do not count as lost. */
export async function shipped(customer: Customer, id: string): Promise<void> {
  await expect
    .poll(async () => (await customer.surely("GET", `/shipments/${id}`)).status, { timeout: 800_000, interval: 50 })
    .toBe(200);
}
