// A service process that runs the task named in its arguments and reports to its parent.
const [module, url, token, task] = process.argv.slice(2);
const { openLoopback } = await import(`${module}/platform/loopback/client.js`);
const { transact } = await import(`${module}/platform/transact.js`);
const platform = openLoopback({ url, token: () => token });
const key = { kind: "item", id: "x" };

const tasks = {
  /** Begins a transaction and never ends it. */
  async transaction() {
    const transaction = await platform.entities.begin();
    await transaction.get(key);
    transaction.upsert(key, { a: 1 });
    transaction.send({ kind: "queue", name: "emails" }, { body: "1" });
  },
  /** Starts an upload that never ends. */
  async upload() {
    let sentCount = 0;
    const pull = async (controller) => {
      if (sentCount++ < 100) controller.enqueue(new Uint8Array(10_000));
      else await new Promise((resolve) => (process.send("halfway"), void resolve));
    };
    await platform.objects.put("photos", "x", new ReadableStream({ pull }), { contentType: "text/plain" });
  },
  /** Increments a number many times concurrently. */
  async increments() {
    await Promise.all(Array.from({ length: 500 }, increment));
    await platform.close();
  },
};

function increment() {
  return transact(platform, async (transaction) => {
    const document = await transaction.get(key);
    transaction.update(key, { a: document.fields.a + 1 });
  });
}

await tasks[task]();
process.send("done");
if (task === "transaction") setInterval(() => {}, 1000);
else process.disconnect();
