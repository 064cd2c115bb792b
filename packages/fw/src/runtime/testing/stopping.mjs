// A process that serves and stops on signals like a deployed service. Its time limits come from the command line.
import { endpoint } from "../../../dist/declare/endpoint.js";
import { createHandler, serve, settings, stopOnSignals } from "../../../dist/runtime/index.js";

const { times = {}, stop = {}, flush = "none" } = JSON.parse(process.argv[2] ?? "{}");
const flushes = {
  none: async () => {},
  slow: () => new Promise((resolve) => setTimeout(resolve, 60_000)),
  failing: async () => {
    throw new Error("no network");
  },
};
let release;
const routes = {
  "/hang": () => {
    process.stdout.write("hanging\n");
    return new Promise((resolve) => (release = resolve));
  },
};
process.stdin.on("data", () => release("released"));
const endpoints = Object.entries(routes).map(([path, run]) => ({
  declaration: endpoint("api", `GET ${path}`, run),
  kind: "api",
  route: `GET ${path}`,
  method: "GET",
  package: 0,
  signIn: false,
  private: false,
  maxAge: 0,
  carries: "nothing",
  exactIntegers: false,
  decode: () => ({}),
}));
const match = (_method, path) => endpoints.findIndex((each) => each.route === `GET ${path}`);
const bundle = {
  app: "stopping",
  match,
  methods: ["GET"],
  endpoints,
  packages: [{ name: "stopping", service: "stopping" }],
};
const server = await serve(createHandler(bundle, { settings: settings.built("refused") }), {
  port: 0,
  host: "127.0.0.1",
  times,
});
const flushing = async () => {
  process.stdout.write("flushing\n");
  await flushes[flush]();
  process.stdout.write("flushed\n");
};
stopOnSignals(server, { flush: flushing, ...stop });
process.stdout.write(`port ${server.port}\n`);
