// Addresses of sections with parameters.

import { offeredSections } from "./ask.js";

/** True if the server offers a section. */
export function canOpen(section) {
  return offeredSections.length === 0 || offeredSections.includes(section);
}

export function sectionLink(section, parameters) {
  return `#${section}?${new URLSearchParams(parameters)}`;
}

/** Returns the name of a route in events and metrics, such as `GET /orders/{id}`. */
export function routeName({ method, path }) {
  return `${method} ${path}`;
}
