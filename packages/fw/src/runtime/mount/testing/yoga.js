import { createSchema, createYoga } from "graphql-yoga";

export const yoga = createYoga({
  graphqlEndpoint: "/graphql",
  logging: false,
  schema: createSchema({
    typeDefs: "type Query { hello(name: String!): String! } type Subscription { count(to: Int!): Int! }",
    resolvers: {
      Query: { hello: (_parent, { name }) => `hello ${name}` },
      Subscription: {
        count: {
          async *subscribe(_parent, { to }) {
            for (let n = 1; n <= to; n++) yield { count: n };
          },
        },
      },
    },
  }),
});

/** Creates a server that responds to every query `{hello}` with a string. */
export function yogaAt(graphqlEndpoint, text) {
  const schema = createSchema({
    typeDefs: "type Query { hello: String! }",
    resolvers: { Query: { hello: () => text } },
  });
  return createYoga({ graphqlEndpoint, logging: false, landingPage: false, graphiql: false, schema });
}
