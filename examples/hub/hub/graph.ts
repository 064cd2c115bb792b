import { type Context, Mount } from "fw";
import { buildSchema, graphql } from "graphql";
import { deliveries } from "./deliveries.ts";

const schema = buildSchema(`
  type Delivery { id: ID!, at: String!, kind: String!, text: String! }
  type Query { deliveries(first: Int = 20): [Delivery!]! }
`);

/** Serves the same data through GraphQL. */
export const graph = Mount("/graphql", (ctx, request) => answer(ctx, request), { signIn: true });

async function answer(ctx: Context, request: Request): Promise<Response> {
  if (request.method !== "POST") return new Response("post a query", { status: 405, headers: { Allow: "POST" } });
  const { query, variables } = (await request.json()) as { query?: unknown; variables?: Record<string, unknown> };
  if (typeof query !== "string") return Response.json({ errors: [{ message: "there is no query" }] }, { status: 400 });
  const rootValue = {
    deliveries: async ({ first }: { first: number }) => {
      const found = await deliveries.query().orderBy("at", "desc").limit(Math.min(first, 100)).all(ctx);
      return found.map(({ at, ...delivery }) => ({ ...delivery, at: at.toISOString() }));
    },
  };
  return Response.json(await graphql({ schema, source: query, rootValue, variableValues: variables }));
}
