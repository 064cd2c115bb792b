// From process start to the first document from Datastore: fw's cloud platform, bundled, against a hand-written
// node:http client with the same token request and lookup, in pairs on one machine. Run it after `npm run build`: node
// bench/cloud/start.mjs [pairs]
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

const pairs = Number(process.argv[2] ?? 15);
const dist = fileURLToPath(new URL("../../packages/fw/dist/platform/gcp/", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "fw-cloud-start-"));

const server = createServer((req, res) => {
  const isToken = req.method === "GET";
  req.resume().on("end", () => {
    res.setHeader("content-type", "application/json");
    const key = { partitionId: { projectId: "p", databaseId: "d" }, path: [{ kind: "item", name: "x" }] };
    const found = [{ entity: { key, properties: { n: { doubleValue: 1 } } }, version: "1" }];
    const token = { access_token: "t", expires_in: 3600, token_type: "Bearer" };
    res.end(JSON.stringify(isToken ? token : { found, readTime: new Date().toISOString() }));
  });
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
const url = `http://127.0.0.1:${server.address().port}`;

const raw = join(directory, "raw.mjs");
writeFileSync(
  raw,
  `import { request } from "node:http";
const ask = (method, path, headers, body) => new Promise((resolve, reject) => {
  const req = request("${url}" + path, { method, headers }, (res) => {
    let text = ""; res.setEncoding("utf8"); res.on("data", (part) => (text += part)); res.on("end", () => resolve(JSON.parse(text)));
  });
  req.on("error", reject).end(body);
});
const { access_token } = await ask("GET", "/computeMetadata/v1/instance/service-accounts/default/token", { "metadata-flavor": "Google" });
const body = JSON.stringify({ databaseId: "d", keys: [{ partitionId: { projectId: "p", databaseId: "d" }, path: [{ kind: "item", name: "x" }] }] });
const { found } = await ask("POST", "/v1/projects/p:lookup", { authorization: "Bearer " + access_token, "content-type": "application/json" }, body);
process.stdout.write(String(found[0].entity.properties.n.doubleValue)); process.exit();
`,
);
const entry = join(directory, "entry.mjs");
writeFileSync(
  entry,
  `import { connectCloud } from ${JSON.stringify(join(dist, "cloud.js"))};
import { openGcp } from ${JSON.stringify(join(dist, "open.js"))};
const place = { app: "shop", env: "prod", service: "web", project: "p", projectNumber: "1", region: "europe-west1", database: "d" };
const platform = await openGcp(place, { kinds: [{ kind: "item", properties: [], composites: [] }] }, connectCloud(process.env));
process.stdout.write(String((await platform.entities.get({ kind: "item", id: "x" })).fields.n)); process.exit();
`,
);
const bundled = join(directory, "fw.mjs");
const build = await rolldown({ input: entry, platform: "node", logLevel: "silent" });
await build.write({ file: bundled, minify: true, codeSplitting: false });

const env = {
  ...process.env,
  GCE_METADATA_HOST: url.slice("http://".length),
  FW_CLOUD_HOSTS: JSON.stringify({ "*.googleapis.com": url }),
};
const time = (file) =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.once("data", () => resolve(performance.now() - begun));
    child.once("exit", (code) => code && reject(new Error(`${file} ended with ${code}`)));
  });

const times = { raw: [], fw: [] };
for (let i = 0; i < pairs; i++) {
  times.raw.push(await time(raw));
  times.fw.push(await time(bundled));
}
const at = (list, share) => list.toSorted((a, b) => a - b)[Math.floor((list.length - 1) * share)].toFixed(1);
const bytes = readFileSync(bundled);
process.stdout.write(
  `bundle ${(bytes.length / 1000).toFixed(0)} kB, ${(gzipSync(bytes).length / 1000).toFixed(0)} kB gzipped\n` +
    Object.entries(times)
      .map(([name, list]) => `${name.padEnd(4)} least ${at(list, 0)} ms, median ${at(list, 0.5)} ms\n`)
      .join("") +
    `difference: least ${(at(times.fw, 0) - at(times.raw, 0)).toFixed(1)} ms, median ${(at(times.fw, 0.5) - at(times.raw, 0.5)).toFixed(1)} ms\n`,
);
server.close();
rmSync(directory, { recursive: true });
