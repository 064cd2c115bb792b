import { bundle, createHandler, serve } from "../.fw/app.mjs";
import { report } from "./report.mjs";

const metrics = { request() {} };
const handler = createHandler(bundle, { mode: "deployed", metrics });
const server = await serve(handler, { host: "127.0.0.1", port: 0 });
report(server.port);
