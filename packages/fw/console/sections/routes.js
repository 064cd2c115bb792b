import { withDetail } from "../parts/detail.js";
import { field, h, inLines, none, table, td, tr } from "../parts/elements.js";
import { placeLink } from "../parts/editor.js";
import { routeName, sectionLink } from "../parts/links.js";
import { model } from "../parts/live.js";
import { callForm } from "./call-form.js";

const kinds = { api: "API", page: "Page", mount: "Mount", socket: "Socket" };

/** Creates the section with all routes, each with a form that calls it. `route` in `query` names one to open. */
export function routes(query) {
  const allRoutes = model?.routes ?? [];
  const filter = h("input", { type: "search", placeholder: "path, method, service", oninput: () => fill() });
  const list = inLines(table("Routes", ["Route", "Access", "Kind", "Service", "Declared at"], []));
  const { node, open } = withDetail(list, "Route details");

  function row(route) {
    const title = routeName(route);
    const opener = (click) => open(click.currentTarget, title, [routeFacts(route), routeForm(route)]);
    return tr(
      td("text", h("button", { class: "link mono", onclick: opener }, title)),
      route.door,
      td("tight", kinds[route.kind]),
      route.service,
      placeLink(route.at),
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
  const wanted = query.get("route");
  const opener = [...list.rows.querySelectorAll("button")].find(({ textContent }) => textContent === wanted);
  if (opener) queueMicrotask(() => opener.click());
  const nodes =
    allRoutes.length === 0
      ? [none(model ? "The application declares no routes." : "fw is still analyzing the application.")]
      : [h("div", { class: "tools" }, field("Filter", filter, { class: "wide" })), node];
  return { nodes: [h("h1", {}, "Routes"), ...nodes] };
}

/** Creates the list of facts about a route, with links to its requests and charts. */
function routeFacts(route) {
  const name = routeName(route);
  const rows = [
    ["Access", route.door],
    ["Kind", kinds[route.kind]],
    ["Service", route.service],
    ["Declared at", placeLink(route.at)],
    ["Traffic", h("a", { href: sectionLink("requests", { filter: `route:"${name}"` }) }, "Requests")],
    ["", h("a", { href: sectionLink("metrics", { route: name }) }, "Charts")],
  ];
  return h(
    "dl",
    {},
    rows.flatMap(([term, value]) => [h("dt", {}, term), h("dd", {}, value)]),
  );
}

function routeForm(route) {
  if (route.kind !== "socket") return callForm(route);
  return none("This page cannot open a socket. Use the generated client, or a tool for WebSockets.");
}
