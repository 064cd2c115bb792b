// fw's platform on PostgreSQL: a queue with one worker, and documents with two indexed fields and a composite index.
import { openPostgres } from "../../packages/fw/dist/platform/postgres/open.js";
import { transact } from "../../packages/fw/dist/platform/transact.js";

const destination = { kind: "queue", name: "emails" };
const delivery = { maxAttempts: 10, minBackoff: 10_000, maxBackoff: 600_000, deadline: 600_000, concurrency: 100 };
const order = (property, direction) => ({ property, direction });
const kinds = [
  {
    kind: "orders",
    properties: [{ name: "buyer" }, { name: "placed" }],
    composites: [{ properties: [order("buyer", "asc"), order("placed", "desc")] }],
  },
];

export async function openFw(address) {
  const definitions = { kinds, consumers: [{ id: "mail", destination, delivery }] };
  const platform = await openPostgres(address, definitions, { bytes: {} });
  const { messages, dispatcher, entities } = platform;
  let delivering;
  const key = (n) => ({ kind: "orders", id: `o${n}` });
  const fields = (n) => ({
    buyer: `b${n % 500}`,
    placed: new Date(1e12 + n * 1000),
    note: "n".repeat(100),
    n: BigInt(n),
  });
  return {
    send: (body) => messages.send(destination, { body: JSON.stringify(body) }),
    work: async (handler) => void (delivering = dispatcher.deliver(({ body }) => handler(JSON.parse(body)))),
    stop: () => delivering.stop(),
    close: () => platform.close(),
    async fill(count) {
      for (let n = 0; n < count; n += 500)
        await Promise.all(Array.from({ length: 500 }, (_, i) => entities.upsert(key(n + i), fields(n + i))));
    },
    get: (n) => entities.get(key(n)),
    query: (n) =>
      entities.query({
        kind: "orders",
        filters: [{ property: "buyer", op: "==", value: `b${n % 500}` }],
        orders: [order("placed", "desc")],
        limit: 20,
      }),
    put: (n) => entities.upsert(key(n), fields(n)),
    transaction: (n) =>
      transact(platform, async (transaction) => {
        const document = await transaction.get(key(n));
        transaction.upsert(key(n), { ...document.fields, n: document.fields.n + 1n });
      }),
  };
}
