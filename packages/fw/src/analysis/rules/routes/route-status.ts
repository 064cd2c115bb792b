import type { Rule } from "../../rule.ts";
import { causedBy } from "../phrases.ts";
import { isEndpoint } from "../select.ts";

export const routeStatus: Rule = {
  id: "route-status",
  title: "The `status` of an API is a constant: 200, 201, 202, 203, or 204 if its handler returns nothing",
  *declaration(read) {
    if (!isEndpoint(read)) return;
    const { status } = read.config.settings;
    if (!status) return;
    const { at, value, why, cause } = status;
    if (read.kind === "page") {
      yield { at, message: "a page cannot set a status: the status of HTML is always 200", hint: "remove status" };
    } else if (typeof value !== "number") {
      const reason = value !== undefined ? " number" : why === undefined ? "" : `: ${why}`;
      yield { at, message: `the status is not a constant${reason}`, hint, ...causedBy(cause) };
    } else if (!statuses.includes(value)) {
      yield { at, message: `the status ${value} cannot be the status of a route`, hint };
    } else if (value === 204 && read.types !== undefined && read.types.response.kind !== "void") {
      yield { at, message: "a response with status 204 has no body, but this handler returns one", hint: noBody };
    }
  },
};

const statuses = [200, 201, 202, 203, 204];
const hint = "write 200, 201, 202, 203 or 204; throw errors with Errorf";
const noBody = "write another status, or a handler that returns nothing";
