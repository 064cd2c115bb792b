/** Types for GraphQL Yoga. Its own types would add the browser's types to every file. */
export declare const yoga: { fetch(request: Request): Promise<Response> };
export declare function yogaAt(graphqlEndpoint: string, text: string): typeof yoga;
