import { bundle, createHandler, definitionsOf, MetricStore, serve, settings } from "../.fw/app.mjs";
import { sessionKind } from "../../packages/fw/dist/runtime/auth/kinds.js";
import { sessionFields } from "../../packages/fw/dist/runtime/auth/session-document.js";
import { openLocal } from "../../packages/fw/dist/platform/local/open.js";
import { report } from "./report.mjs";
import { dataDirectory, hashOf, sessions } from "./sessions.mjs";

const metrics = new MetricStore();
const platform = await openLocal(dataDirectory(), definitionsOf(bundle));
await Promise.all(Array.from(sessions(), keep));
const handler = createHandler(bundle, { settings: settings.built("refused"), metrics, platform });
const server = await serve(handler, { host: "127.0.0.1", port: 0 });
report(server.port);

function keep({ id, identity, expires }) {
  const fields = sessionFields(identity, { csrf: "A".repeat(43) });
  return platform.entities.upsert({ kind: sessionKind, id: hashOf(id) }, fields, { expires });
}
