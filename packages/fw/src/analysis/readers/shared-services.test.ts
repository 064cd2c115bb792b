import { expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const letters =
  '-- mail/queues.ts --\nimport { Queue } from "fw";\nexport const a = Queue<string>("a");\nexport const b = Queue<string>("b");\n';
const worker = (path: string, queue: string, variable: string): string =>
  `-- ${path} --\nimport { Worker } from "fw";\nimport { ${queue} } from "../mail/queues.ts";\nconst ${variable} = Worker(${queue}, () => {});\n`;

test("two handlers of one name in a package would be one service", async () => {
  expect(
    await bench.print(`${letters}${worker("mail/one.ts", "a", "send")}${worker("mail/two.ts", "b", "send")}`),
  ).toEqual(['mail/two.ts:3:7: the service "mail-send" is declared twice (package)']);
});

test("handlers of one name in two packages are two services", async () => {
  expect(
    await bench.print(`${letters}${worker("mail/one.ts", "a", "send")}${worker("post/two.ts", "b", "send")}`),
  ).toEqual([]);
});

test("a handler may not be called as the service of a package is", async () => {
  expect(
    await bench.print(`${letters}${worker("mail/one.ts", "a", "send")}${worker("mail-send/two.ts", "b", "post")}`),
  ).toEqual(['mail/one.ts:3:7: the service "mail-send" is declared twice (package)']);
});
