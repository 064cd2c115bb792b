import { bundle, createHandler, serve } from "../.fw/cold/app.mjs";

await serve(createHandler(bundle, { mode: "deployed" }), { host: "127.0.0.1", port: Number(process.env.PORT) });
