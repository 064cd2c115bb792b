import type { Rule } from "../../rule.ts";

export const rawCall: Rule = {
  id: "raw-call",
  title: "A call to another package goes to the endpoint, not to its handler",
  *app({ rawCalls }) {
    for (const { text, at, isCalled, endpoint, dir } of rawCalls) {
      const owner = dir === "" ? "the root package" : `"${dir}"`;
      yield {
        at,
        message: `${text} is the handler of ${endpoint.variable}, an endpoint of ${owner}: ${isCalled ? "called by itself" : "handed on"}, it skips the endpoint's gate`,
        hint: isCalled
          ? `write ${endpoint.variable}.call(ctx, …)`
          : `hand on a function that calls the endpoint: (ctx, request) => ${endpoint.variable}.call(ctx, request)`,
        related: [{ at: endpoint.at, message: "the endpoint is declared here" }],
      };
    }
  },
};
