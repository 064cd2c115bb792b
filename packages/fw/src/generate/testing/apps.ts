import type { App } from "../../model/app.ts";
import type { Schema } from "../../model/schema.ts";
import { bound, endpoint, field, ref, request } from "./models.ts";

const string: Schema = { kind: "string" };
const int: Schema = { kind: "int" };

const order: Schema = {
  kind: "object",
  fields: [
    field("id", string),
    field("lines", { kind: "array", items: { kind: "ref", id: "orders.ts#Line" } }),
    field("placed", { kind: "date" }),
    field("note", { kind: "union", variants: [string, { kind: "null" }] }, true),
  ],
};

const line: Schema = {
  kind: "object",
  fields: [
    field("sku", string),
    field("count", int),
    field("parts", { kind: "array", items: { kind: "ref", id: "orders.ts#Line" } }, true),
  ],
};

const payment: Schema = {
  kind: "union",
  tag: "by",
  variants: [
    { kind: "object", fields: [field("by", { kind: "literal", value: "card" }), field("number", string)] },
    { kind: "object", fields: [field("by", { kind: "literal", value: "invoice" }), field("days", int)] },
  ],
};

/** One package with JSON endpoints, a recursive type, a tagged union and a 64-bit integer. */
export const shop: App = {
  name: "shop",
  packages: [
    {
      name: "shop",
      dir: "",
      service: "shop",
      declarations: [
        endpoint(
          "GET /orders",
          "listOrders",
          {
            settings: { signIn: true, private: false },
            request: request({
              bound: [
                bound("query", "status", { kind: "string", literals: ["open", "paid"] }, { optional: true }),
                bound("query", "tag", { kind: "string" }, { optional: true, list: true }),
                bound("query", "limit", { kind: "int" }, { optional: true }),
                bound("query", "after", { kind: "string" }, { optional: true }),
              ],
            }),
            response: { kind: "array", items: { kind: "ref", id: "orders.ts#Order" } },
          },
          "orders.ts",
        ),
        endpoint(
          "POST /orders",
          "placeOrder",
          { request: request({ body: order.fields }), response: { kind: "ref", id: "orders.ts#Order" } },
          "orders.ts",
        ),
        endpoint(
          "GET /orders/{id}",
          "getOrder",
          { request: request({ bound: [bound("path", "id", { kind: "string" })] }) },
          "orders.ts",
        ),
        endpoint(
          "POST /orders/{id}/pay",
          "payOrder",
          {
            request: request({
              bound: [bound("path", "id", { kind: "int64" })],
              body: [field("payment", { kind: "ref", id: "payments.ts#Payment" }), field("amount", { kind: "int64" })],
            }),
            response: { kind: "object", fields: [field("balance", { kind: "int64" })] },
          },
          "payments.ts",
        ),
      ],
    },
  ],
  types: { "orders.ts#Line": line, "orders.ts#Order": order, "payments.ts#Payment": payment },
};

const title = bound("form", "title", { kind: "string" });

/** Two packages: one has pages, a site, a status page, a domain and an upload; the other has a private API. */
export const notes: App = {
  name: "notes",
  packages: [
    {
      name: "files",
      dir: "files",
      service: "files",
      declarations: [
        endpoint("GET /internal/files", "list", { settings: { signIn: false, private: true } }, "files/api.ts"),
      ],
    },
    {
      name: "web",
      dir: "web",
      service: "web-main",
      declarations: [
        {
          kind: "service",
          declaration: { ...ref("web/service.ts", "main"), exported: false },
          domain: "notes.example.org",
          profile: "default",
        },
        {
          kind: "site",
          declaration: { ...ref("web/site.ts", "site"), exported: false },
          dir: "web/public",
          redirects: { "/old": "/new" },
          trustedHTML: false,
          notFound: "404.html",
        },
        { kind: "status", declaration: ref("web/site.ts", "status") },
        endpoint(
          "GET /",
          "home",
          { kind: "page", settings: { signIn: false, private: false, maxAge: 600 } },
          "web/pages.ts",
        ),
        endpoint("GET /notes/new", "newNote", { kind: "page" }, "web/pages.ts"),
        endpoint(
          "POST /notes/{id}",
          "saveNote",
          {
            kind: "page",
            request: request({ bound: [bound("path", "id", { kind: "string" }), title], carries: "form" }),
          },
          "web/pages.ts",
        ),
        endpoint(
          "POST /upload",
          "upload",
          { request: request({ bound: [bound("form", "file", { kind: "blob" }), title], carries: "multipart" }) },
          "web/upload.ts",
        ),
      ],
    },
  ],
  types: {},
};
