// Serves a built application on local data, without the dev loop: node service.mjs <app.mjs> <data directory>
import { openLocal } from "../../packages/fw/dist/platform/local/open.js";

const [app, data] = process.argv.slice(2);
const { Background, bundle, createService, definitionsOf, loadMarkdown, serve, settings } = await import(app);
await loadMarkdown();
const platform = await openLocal(data, definitionsOf(bundle));
const service = createService(bundle, { settings: settings.dev, platform });
new Background().use(service.app);
const { port } = await serve(service.handler, { host: "localhost", port: 0 });
process.send({ url: `http://localhost:${port}` });
