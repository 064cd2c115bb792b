/** Types for GraphQL Yoga, whose own types would bring those of browsers into every file. */
export declare const yoga: { fetch(request: Request): Promise<Response> };
export declare function yogaAt(graphqlEndpoint: string, text: string): typeof yoga;
