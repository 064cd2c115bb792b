// Fastify in several processes on one port. The last argument is their number.
import cluster from "node:cluster";
import { fileURLToPath } from "node:url";

const processes = Number(process.argv.at(-1));
cluster.setupPrimary({ exec: fileURLToPath(new URL("fastify.mjs", import.meta.url)) });
let ready = 0;
for (let i = 0; i < processes; i++)
  cluster.fork().once("message", ({ port }) => {
    if (++ready === processes) process.send({ port });
  });
process.on("disconnect", () => process.exit());
