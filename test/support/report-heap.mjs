// Preloaded into a process: appends the memory of its compilers, in bytes, to the file that FW_TEST_HEAP_REPORT names,
// after each message that it sends to its parent.
import { appendFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

const send = process.send?.bind(process);

process.send = (...message) => {
  appendFileSync(process.env.FW_TEST_HEAP_REPORT, `${getHeapStatistics().malloced_memory}\n`);
  return send?.(...message) ?? false;
};
