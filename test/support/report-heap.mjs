// Preloaded into a process. Before each message to its parent, appends its compilers' memory in bytes to the file named
// by FW_TEST_HEAP_REPORT.
import { appendFileSync } from "node:fs";
import { getHeapStatistics } from "node:v8";

const send = process.send?.bind(process);

process.send = (...message) => {
  appendFileSync(process.env.FW_TEST_HEAP_REPORT, `${getHeapStatistics().malloced_memory}\n`);
  return send?.(...message) ?? false;
};
