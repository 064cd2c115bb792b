import type { Rule } from "../../rule.ts";

export const rawCall: Rule = {
  id: "raw-call",
  title: "A call to another package calls the endpoint, not its handler",
  *app({ rawCalls }) {
    for (const { text, at, isCalled, endpoint, dir } of rawCalls) {
      const owner = dir === "" ? "the root package" : `"${dir}"`;
      yield {
        at,
        message: `${text} is the handler of ${endpoint.variable}, an endpoint of ${owner}: ${isCalled ? "calling it directly" : "passing it on"} bypasses the endpoint's access checks`,
        hint: isCalled
          ? `write ${endpoint.variable}.call(ctx, …)`
          : `pass a function that calls the endpoint: (ctx, request) => ${endpoint.variable}.call(ctx, request)`,
        related: [{ at: endpoint.at, message: "the endpoint is declared here" }],
      };
    }
  },
};
