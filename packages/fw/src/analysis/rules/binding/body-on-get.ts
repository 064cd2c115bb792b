import type { Rule } from "../../rule.ts";
import { isEndpoint, typesOf } from "../select.ts";
import { untaggedFinding } from "./no-body.ts";

export const bodyOnGet: Rule = {
  id: "body-on-get",
  title: "The request of a GET API has no unmarked fields",
  *declaration(read) {
    if (!isEndpoint(read) || (read.kind !== "api" && read.kind !== "socket") || read.route?.method !== "GET") return;
    const types = typesOf(read);
    if (!types || types.request.shape.carries === "multipart") return;
    yield* untaggedFinding(
      types.request.untagged,
      "GET requests do not have",
      "write Query, or declare the route as a POST",
      { marker: "Query", route: read.route },
    );
  },
};
