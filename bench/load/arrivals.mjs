// A worker that posts requests at random times while it runs, like many independent clients.
import { parentPort, workerData } from "node:worker_threads";

const { rate, state } = workerData;
let seed = 1;

for (let i = 0; ;) {
  Atomics.wait(state, 0, 0);
  for (let due = now(); ; i++) {
    due -= (Math.log(1 - random()) * 1000) / rate;
    const isStopped = Atomics.wait(state, 0, 1, Math.max(0, due - now())) !== "timed-out";
    if (isStopped) break;
    parentPort.postMessage({ i, due }, []);
  }
  parentPort.postMessage("stopped", []);
}

/** Returns milliseconds on a clock that all threads share. */
function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

function random() {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
}
