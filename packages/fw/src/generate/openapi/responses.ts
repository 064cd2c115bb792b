import { bodySchemas } from "../../model/request-shape.ts";
import { answerOf, jsonOf, repliesIn, type Operation } from "../client/operations.ts";
import { jsonSchema, type Direction, type JsonSchema } from "./json-schema.ts";

const errorSchema: JsonSchema = {
  type: "object",
  properties: { error: { type: "string", description: "A readable description of the problem." } },
  required: ["error"],
};

/** The body of a 400, which lists every problem of the request. */
const problemsSchema: JsonSchema = {
  type: "object",
  properties: {
    ...(errorSchema["properties"] as JsonSchema),
    details: {
      type: "object",
      properties: {
        problems: {
          type: "array",
          description: "Every problem of the request.",
          items: {
            type: "object",
            properties: {
              at: { type: "string", description: "The place, such as `body title`." },
              problem: { type: "string", description: "A readable description of the problem there." },
            },
            required: ["at", "problem"],
          },
        },
      },
    },
  },
  required: ["error"],
};

type Refusal = "BadRequest" | "SignIn" | "Denied" | "TooLarge" | "MediaType" | "Failed";

function refusal(description: string, schema: JsonSchema = errorSchema): JsonSchema {
  return { description, content: { "application/json": { schema } } };
}

/** Error responses, by their names among the components. */
export const refusals: Readonly<Record<Refusal, JsonSchema>> = {
  BadRequest: refusal("A field of the request is missing or has the wrong type.", problemsSchema),
  SignIn: refusal("Sign-in is required."),
  Denied: refusal("The policy of the API does not admit the user, or another site made the request."),
  TooLarge: refusal("The body is larger than the API accepts."),
  MediaType: refusal("The body has a media type that the API does not accept."),
  Failed: refusal("An error of the API, or a failure."),
};

/**
 * Describes a refusal of the framework: a reference to a component, or its description with the body of the package's
 * ErrorShape.
 */
function refusalResponse(name: Refusal, shape: JsonSchema | undefined): JsonSchema {
  if (shape === undefined) return { $ref: `#/components/responses/${name}` };
  return { ...refusals[name], content: { "application/json": { schema: shape } } };
}

export function responsesOf(operation: Operation, context: ResponseContext): JsonSchema {
  const { request, settings, route } = operation.endpoint;
  const denies = settings.allow !== undefined || (settings.signIn && route.method !== "GET");
  const own = answersOf(operation, context);
  const shape = operation.errors && jsonSchema(operation.errors, context.answers);
  const refusalOf = (name: Refusal): JsonSchema => refusalResponse(name, shape);
  const framework = {
    ...(request.bound.length > 0 || bodySchemas(request).length > 0 ? { 400: refusalOf("BadRequest") } : {}),
    ...(settings.signIn ? { 401: refusalOf("SignIn") } : {}),
    ...(denies ? { 403: refusalOf("Denied") } : {}),
    ...(request.carries === "nothing" ? {} : { 413: refusalOf("TooLarge"), 415: refusalOf("MediaType") }),
  };
  const both = Object.keys(framework).flatMap((status) => own.get(Number(status)) ?? []);
  for (const answer of both) addSchema(answer.schemas, shape ?? errorSchema);
  return {
    ...framework,
    ...Object.fromEntries([...own].map(([status, answer]) => [status, responseObject(status, answer)])),
    default: refusalOf("Failed"),
  };
}

interface ResponseContext {
  readonly answers: Direction;
}

interface AnswerContent {
  readonly schemas: JsonSchema[];
  readonly events: JsonSchema[];
  file: boolean;
}

/** Returns the responses that the API declares, by status. */
function answersOf(operation: Operation, context: ResponseContext): ReadonlyMap<number, AnswerContent> {
  const answers = new Map<number, AnswerContent>();
  const at = (status: number): AnswerContent => {
    const content = answers.get(status) ?? { schemas: [], events: [], file: false };
    answers.set(status, content);
    return content;
  };
  const { endpoint } = operation;
  for (const { body, status = endpoint.settings.status } of repliesIn(operation) ?? [{ body: endpoint.response }]) {
    const answerKind = answerOf(body);
    if (answerKind === "nothing") at(status ?? 204);
    else if (answerKind === "file") at(status ?? 200).file = true;
    else if (body.kind === "blob" && body.events !== undefined)
      at(status ?? 200).events.push(jsonSchema(body.events, context.answers));
    else at(status ?? 200).schemas.push(jsonSchema(jsonOf(body), context.answers));
    if (answerKind === "json or nothing" && status === undefined) at(204);
  }
  return answers;
}

function responseObject(status: number, { schemas, events, file }: AnswerContent): JsonSchema {
  const [schema, event] = [oneOf(schemas), oneOf(events)];
  const content = {
    ...(schema === undefined ? {} : { "application/json": { schema } }),
    ...(event === undefined ? {} : { "text/event-stream": { schema: { type: "string" }, "x-fw-event": event } }),
    ...(file ? { "*/*": {} } : {}),
  };
  const isEmpty = Object.keys(content).length === 0;
  if (status >= 400) return { description: "Refused.", ...(isEmpty ? {} : { content }) };
  if (status >= 300) return { description: "Redirected, or not modified.", ...(isEmpty ? {} : { content }) };
  return isEmpty ? { description: "Done, without a body." } : { description: "Done.", content };
}

function oneOf(schemas: readonly JsonSchema[]): JsonSchema | undefined {
  return schemas.length > 1 ? { anyOf: schemas } : schemas[0];
}

function addSchema(schemas: JsonSchema[], schema: JsonSchema): void {
  const text = JSON.stringify(schema);
  if (!schemas.some((each) => JSON.stringify(each) === text)) schemas.push(schema);
}
