// A process that accepts uploads to a signed URL. Its argument is the data directory. Sends the URLs to its parent.
import { Bucket } from "../../../dist/declare/bucket.js";
import { openLocal } from "../../../dist/platform/local/open.js";
import { createHandler, definitionsOf, serve, settings } from "../../../dist/runtime/index.js";

const buckets = [{ declaration: Bucket("photos"), name: "photos" }];
const platform = await openLocal(process.argv[2], definitionsOf({ buckets }));
const bundle = { app: "uploads", match: () => -1, methods: [], endpoints: [], packages: [], buckets };
const { port } = await serve(createHandler(bundle, { settings: settings.test, platform }), {
  port: 0,
  host: "127.0.0.1",
});
const grant = { bucket: "photos", key: "x", expires: new Date(Date.now() + 600_000) };
const urls = await Promise.all(["PUT", "GET"].map((method) => platform.objects.sign({ ...grant, method })));
process.send({ put: `http://127.0.0.1:${port}${urls[0].url}`, get: `http://127.0.0.1:${port}${urls[1].url}` });
