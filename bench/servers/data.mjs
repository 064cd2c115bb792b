// The same data for every server, so that response bodies are identical.
import { createHash } from "node:crypto";

export const user = (id, page, sort, tags) => ({
  id,
  page,
  sort,
  tags,
  name: "Ada Lovelace",
  email: "ada@example.com",
  roles: ["admin", "editor", "viewer"],
  address: { street: "12 St James's Square", city: "London", postcode: "SW1Y 4JH", country: "GB" },
  items: Array.from({ length: 6 }, (_, i) => ({ sku: `SKU-${i}`, quantity: i + 1, price: 9.5 * (i + 1) })),
});

/** The response of `/me` for the signed-in user. */
export const me = ({ id, email, name, roles }) => ({ id, email, name, roles });

/** Returns the session id of browser `n`. */
export const sessionId = (n) => createHash("sha256").update(`session ${n}`).digest("base64url");

export const order = {
  customer: { id: 42, name: "Grace Hopper", email: "grace@example.com" },
  currency: "EUR",
  note: "Please leave the parcel with the neighbours on the left; the bell does not work.",
  express: true,
  items: Array.from({ length: 9 }, (_, i) => ({
    sku: `SKU-${1000 + i}`,
    title: `Article number ${i}`,
    quantity: i + 1,
    price: 19.99 + i,
  })),
};

export const placed = (request) => ({
  id: "ord_000001",
  status: "open",
  total: request.items.reduce((sum, item) => sum + item.quantity * item.price, 0),
  ...request,
});

export const routes = Array.from({ length: 200 }, (_, i) => `/service${i % 20}/resource${i}`);

export const rows = Array.from({ length: 20 }, (_, i) => ({
  id: i,
  title: `Row ${i} <with> "markup" & more`,
  author: i % 2 ? "O'Neill" : "Ada",
  href: `/rows/${i}`,
}));

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const escapeHtml = (text) => String(text).replace(/[&<>"']/g, (c) => escapes[c]);

export function page(title, items) {
  let out = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body><h1>${escapeHtml(title)}</h1><table>`;
  for (const row of items) {
    out += `<tr><td>${row.id}</td><td><a href="${escapeHtml(row.href)}">${escapeHtml(row.title)}</a></td><td>${escapeHtml(row.author)}</td></tr>`;
  }
  return `${out}</table></body></html>`;
}
