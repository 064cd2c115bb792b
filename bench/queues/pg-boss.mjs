// pg-boss with batches of 1,000 and its shortest polling interval.
import PgBoss from "pg-boss";

export async function openPgBoss(address) {
  const schema = new URL(address).searchParams.get("schema");
  const boss = new PgBoss({ connectionString: address.replace(/\?.*$/, ""), schema, max: 10 });
  boss.on("error", console.error);
  await boss.start();
  await boss.createQueue("emails");
  return {
    send: (body) => boss.send("emails", body),
    work: (handler) =>
      boss.work("emails", { batchSize: 1_000, pollingIntervalSeconds: 0.5 }, (jobs) =>
        Promise.all(jobs.map(({ data }) => handler(data))),
      ),
    stop: () => boss.offWork("emails"),
    close: () => boss.stop({ graceful: false }),
  };
}
