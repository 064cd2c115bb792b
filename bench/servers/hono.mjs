import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { me, page, placed, routes, rows, user } from "./data.mjs";
import { report } from "./report.mjs";
import { orderSchema, userParams, userQuery } from "./schemas.mjs";
import { openSessions } from "./sessions.mjs";

const app = new Hono();
app.get("/hello", (c) => c.json({ hello: "world" }));
app.get("/users/:id", (c) => {
  const params = userParams.safeParse({ id: c.req.param("id") });
  const query = userQuery.safeParse({
    page: c.req.query("page"),
    sort: c.req.query("sort"),
    tag: c.req.queries("tag"),
  });
  if (!params.success || !query.success) return c.json({ error: "bad" }, 400);
  return c.json(user(params.data.id, query.data.page, query.data.sort, query.data.tag));
});
app.post("/orders", async (c) => {
  const body = orderSchema.safeParse(await c.req.json());
  return body.success ? c.json(placed(body.data)) : c.json({ error: "bad" }, 400);
});
routes.forEach((route, i) => app.get(`${route}/:id`, (c) => c.json({ route: i, id: c.req.param("id") })));
const whose = openSessions();
const signIn = async (c, next) => {
  const identity = whose(c.req.header("cookie"));
  if (identity === undefined) return c.json({ error: "sign in" }, 401);
  c.set("identity", identity);
  return next();
};
app.get("/me", signIn, (c) => c.json(me(c.get("identity"))));
app.get("/page", (c) => c.html(page("Rows", rows)));

const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, (info) => report(info.port));
server.keepAliveTimeout = 5000;
