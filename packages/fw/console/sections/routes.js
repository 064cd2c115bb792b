import { withDetail } from "../parts/detail.js";
import { field, h, none, table, td, tr } from "../parts/elements.js";
import { model } from "../parts/live.js";
import { callForm } from "./call-form.js";

const kinds = { api: "API", page: "Page", mount: "Mount" };

/** Every route, with a form that calls it. */
export function routes() {
  const known = model?.routes ?? [];
  const filter = h("input", { type: "search", placeholder: "path, method, service", oninput: () => fill() });
  const list = table("Routes", ["Route", "Who gets in", "Kind", "Service", ["Where", "where"]], []);
  const { node, open } = withDetail(list, "The route");

  function row(route) {
    const title = `${route.method} ${route.path}`;
    const opener = (click) => open(click.currentTarget, title, callForm(route));
    return tr(
      td("text", h("button", { class: "link mono", onclick: opener }, title)),
      td("tight", route.door),
      td("tight", kinds[route.kind]),
      td("tight", route.service),
      td("tight mono where", route.at),
    );
  }

  function fill() {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = known.filter((route) => wanted.every((word) => JSON.stringify(route).toLowerCase().includes(word)));
    list.rows.replaceChildren(...fits.map(row));
  }

  fill();
  const nodes =
    known.length === 0
      ? [none("The application has no route, or is being analysed.")]
      : [h("div", { class: "tools" }, field("Filter", filter, { class: "wide" })), node];
  return { nodes: [h("h1", {}, "Routes"), ...nodes] };
}
