// graphile-worker with its local queue, which fetches jobs in batches.
import { makeWorkerUtils, run } from "graphile-worker";
import { Pool } from "pg";

export async function openGraphileWorker(address) {
  const schema = new URL(address).searchParams.get("schema");
  const pgPool = new Pool({ connectionString: address.replace(/\?.*$/, ""), max: 12 });
  pgPool.on("error", console.error);
  const utils = await makeWorkerUtils({ pgPool, schema });
  await utils.migrate();
  let runner;
  return {
    send: (body) => utils.addJob("emails", body),
    async work(handler) {
      const preset = { worker: { localQueue: { size: 100 }, completeJobBatchDelay: 0, concurrentJobs: 100 } };
      const logger = { scope: () => logger, error: console.error, warn() {}, info() {}, debug() {} };
      runner = await run({
        pgPool,
        schema,
        preset,
        concurrency: 100,
        noHandleSignals: true,
        pollInterval: 500,
        logger,
        taskList: { emails: handler },
      });
    },
    stop: () => runner.stop(),
    async close() {
      await utils.release();
      await pgPool.end();
    },
  };
}
