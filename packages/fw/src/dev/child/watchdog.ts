import { Worker } from "node:worker_threads";

/**
 * Ends this process when the one that started it is gone, even while the application's code holds the main thread:
 * descriptor 4 ends when the parent does.
 */
export function endWithParent(): void {
  process.once("disconnect", () => process.exit(0));
  const worker = new Worker(
    `
    const { Socket } = require("node:net");
    const pipe = new Socket({ fd: 4, readable: true, writable: false });
    pipe.on("error", () => {}).on("close", () => process.kill(process.pid, "SIGKILL")).resume();
  `,
    { eval: true, execArgv: [], env: {} },
  );
  worker.unref();
  worker.on("error", () => {});
}
