// Sends this many messages and delivers them, logging each sent and each handled message; then reports "idle".
import { openSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

const [module, directory, log, definitions, destination, messageCount] = process.argv.slice(2);
const { openLocal } = await import(module);
const { messages, dispatcher } = await openLocal(directory, JSON.parse(definitions));
const file = openSync(log, "a");
let handled = 0;
let remaining = Number(messageCount);

dispatcher.deliver(handle);
await Promise.all(Array.from({ length: 64 }, send));
await dispatcher.idle({ all: true });
// Stay alive until the parent kills the process. On a busy machine, it could exit before that.
process.channel.ref();
process.send("idle");

async function handle({ id }) {
  if (Math.random() < 0.1) await setTimeout(Math.random() * 5);
  if (Math.random() < 0.01) throw new Error("try again");
  writeSync(file, `handled ${id}\n`);
  if (++handled % 10 === 0) process.send(handled);
}

async function send() {
  while (remaining-- > 0) {
    const id = await messages.send(JSON.parse(destination), { body: `"${"x".repeat(100)}"` });
    writeSync(file, `sent ${id}\n`);
  }
}
