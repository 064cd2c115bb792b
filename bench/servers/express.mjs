import express from "express";
import { me, page, placed, routes, rows, user } from "./data.mjs";
import { report } from "./report.mjs";
import { orderSchema, userParams, userQuery } from "./schemas.mjs";
import { openSessions } from "./sessions.mjs";

const app = express();
app.disable("x-powered-by");
app.set("etag", false);
app.get("/hello", (_req, res) => res.json({ hello: "world" }));
app.get("/users/:id", (req, res) => {
  const params = userParams.safeParse(req.params);
  const query = userQuery.safeParse(req.query);
  if (!params.success || !query.success) return res.status(400).json({ error: "bad" });
  return res.json(user(params.data.id, query.data.page, query.data.sort, query.data.tag));
});
app.post("/orders", express.json(), (req, res) => {
  const body = orderSchema.safeParse(req.body);
  return body.success ? res.json(placed(body.data)) : res.status(400).json({ error: "bad" });
});
routes.forEach((route, i) => app.get(`${route}/:id`, (req, res) => res.json({ route: i, id: req.params.id })));
const whose = openSessions();
const signIn = (req, res, next) => {
  req.identity = whose(req.headers.cookie);
  if (req.identity === undefined) return res.status(401).json({ error: "sign in" });
  return next();
};
app.get("/me", signIn, (req, res) => res.json(me(req.identity)));
app.get("/page", (_req, res) => res.type("html").send(page("Rows", rows)));

const server = app.listen(0, "127.0.0.1", () => report(server.address().port));
