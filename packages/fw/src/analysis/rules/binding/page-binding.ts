import type { Rule } from "../../rule.ts";
import { isEndpoint, typesOf } from "../select.ts";
import { untaggedFinding } from "./no-body.ts";

export const pageBinding: Rule = {
  id: "page-binding",
  title: "The request of a `Page` has no unmarked fields",
  *declaration(read) {
    if (!isEndpoint(read) || read.kind !== "page") return;
    const types = typesOf(read);
    if (!types || types.request.shape.carries === "multipart") return;
    const why = "browsers do not send to a page";
    const { route } = read;
    if (route?.method === "GET")
      yield* untaggedFinding(types.request.untagged, why, "write Query", { marker: "Query", route });
    else
      yield* untaggedFinding(
        types.request.untagged,
        why,
        "write Form for form inputs, Query for parameters in the URL",
      );
  },
};
