import Fastify from "fastify";
import { me, page, placed, routes, rows, user } from "./data.mjs";
import { report } from "./report.mjs";
import { openSessions } from "./sessions.mjs";

const app = Fastify({ logger: false });
const string = { type: "string" };
const integer = { type: "integer" };
const number = { type: "number" };
const item = {
  type: "object",
  required: ["sku", "title", "quantity", "price"],
  properties: { sku: string, title: string, quantity: integer, price: number },
};
const orderBody = {
  type: "object",
  required: ["customer", "currency", "note", "express", "items"],
  properties: {
    customer: {
      type: "object",
      required: ["id", "name", "email"],
      properties: { id: integer, name: string, email: string },
    },
    currency: string,
    note: string,
    express: { type: "boolean" },
    items: { type: "array", items: item },
  },
};
const response = (properties) => ({ 200: { type: "object", properties } });
const strings = { type: "array", items: string };
const userOut = response({
  id: integer,
  page: integer,
  sort: string,
  tags: strings,
  name: string,
  email: string,
  roles: strings,
  address: { type: "object", properties: { street: string, city: string, postcode: string, country: string } },
  items: { type: "array", items: { type: "object", properties: { sku: string, quantity: integer, price: number } } },
});

app.get("/hello", { schema: { response: response({ hello: string }) } }, async () => ({ hello: "world" }));
app.get(
  "/users/:id",
  {
    schema: {
      params: { type: "object", properties: { id: integer } },
      querystring: { type: "object", properties: { page: integer, sort: string, tag: strings } },
      response: userOut,
    },
  },
  async (req) => user(req.params.id, req.query.page ?? 1, req.query.sort ?? "name", req.query.tag ?? []),
);
app.post(
  "/orders",
  {
    schema: {
      body: orderBody,
      response: response({ id: string, status: string, total: number, ...orderBody.properties }),
    },
  },
  async (req) => placed(req.body),
);
routes.forEach((route, i) => app.get(`${route}/:id`, async (req) => ({ route: i, id: req.params.id })));
const whose = openSessions();
app.decorateRequest("identity", null);
const signIn = async (req, reply) => {
  req.identity = whose(req.headers.cookie);
  if (req.identity === undefined) return reply.code(401).send({ error: "sign in" });
};
const meOut = response({ id: string, email: string, name: string, roles: strings });
app.get("/me", { preHandler: signIn, schema: { response: meOut } }, async (req) => me(req.identity));
app.get("/page", async (_req, reply) => reply.type("text/html; charset=utf-8").send(page("Rows", rows)));

await app.listen({ port: 0, host: "127.0.0.1" });
report(app.server.address().port);
