import { withDetail } from "../parts/detail.js";
import { field, h, none, table, td, tr } from "../parts/elements.js";
import { placeLink } from "../parts/editor.js";
import { model } from "../parts/live.js";
import { callForm } from "./call-form.js";

const kinds = { api: "API", page: "Page", mount: "Mount" };

/** The section with all routes, each with a form that calls it. */
export function routes() {
  const allRoutes = model?.routes ?? [];
  const filter = h("input", { type: "search", placeholder: "path, method, service", oninput: () => fill() });
  const list = table("Routes", ["Route", "Access", "Kind", "Service", ["Declared at", "where"]], []);
  const { node, open } = withDetail(list, "Route details");

  function row(route) {
    const title = `${route.method} ${route.path}`;
    const opener = (click) => open(click.currentTarget, title, callForm(route));
    return tr(
      td("text", h("button", { class: "link mono", onclick: opener }, title)),
      td("tight", route.door),
      td("tight", kinds[route.kind]),
      td("tight", route.service),
      td("tight where", placeLink(route.at)),
    );
  }

  function fill() {
    const needles = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = allRoutes.filter((route) =>
      needles.every((word) => JSON.stringify(route).toLowerCase().includes(word)),
    );
    list.rows.replaceChildren(...matches.map(row));
  }

  fill();
  const nodes =
    allRoutes.length === 0
      ? [none(model ? "The application declares no routes." : "fw is still analyzing the application.")]
      : [h("div", { class: "tools" }, field("Filter", filter, { class: "wide" })), node];
  return { nodes: [h("h1", {}, "Routes"), ...nodes] };
}
