import { bodySchemas } from "../../model/request-shape.ts";
import { answerOf, jsonOf, type Operation } from "../client/operations.ts";
import { jsonSchema, type Direction, type JsonSchema } from "./json-schema.ts";

const errorSchema: JsonSchema = {
  type: "object",
  properties: { error: { type: "string", description: "What is wrong, for people." } },
  required: ["error"],
};

/** The body of a 400, with every problem of the request. */
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
              problem: { type: "string", description: "What is wrong there, for people." },
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

/** What is refused, by its name among the components. */
export const refusals: Readonly<Record<Refusal, JsonSchema>> = {
  BadRequest: refusal("A field of the request is missing, or of another type.", problemsSchema),
  SignIn: refusal("Nobody is signed in."),
  Denied: refusal("The policy of the API does not admit who is signed in, or another site made the request."),
  TooLarge: refusal("The body is larger than the API takes."),
  MediaType: refusal("The body is of another type than the API takes."),
  Failed: refusal("What the API refuses on its own account, or a failure."),
};

function refused(name: Refusal): JsonSchema {
  return { $ref: `#/components/responses/${name}` };
}

/** What an API answers with, by status. */
export function responsesOf(operation: Operation, words: Answering): JsonSchema {
  const { request, settings, route } = operation.endpoint;
  const denies = settings.allow !== undefined || (settings.signIn && route.method !== "GET");
  const own = answersOf(operation, words);
  const framework = {
    ...(request.bound.length > 0 || bodySchemas(request).length > 0 ? { 400: refused("BadRequest") } : {}),
    ...(settings.signIn ? { 401: refused("SignIn") } : {}),
    ...(denies ? { 403: refused("Denied") } : {}),
    ...(request.carries === "nothing" ? {} : { 413: refused("TooLarge"), 415: refused("MediaType") }),
  };
  const both = Object.keys(framework).flatMap((status) => own.get(Number(status)) ?? []);
  for (const answer of both) answer.schemas.push(errorSchema);
  return {
    ...framework,
    ...Object.fromEntries([...own].map(([status, answer]) => [status, responseObject(status, answer)])),
    default: refused("Failed"),
  };
}

interface Answering {
  readonly answers: Direction;
}

/** What answers of one status carry. */
interface AnswerContent {
  readonly schemas: JsonSchema[];
  /** What each event carries. */
  readonly events: JsonSchema[];
  file: boolean;
}

/** What the API answers with on its own account, by status. */
function answersOf({ endpoint }: Operation, words: Answering): ReadonlyMap<number, AnswerContent> {
  const answers = new Map<number, AnswerContent>();
  const at = (status: number): AnswerContent => {
    const known = answers.get(status) ?? { schemas: [], events: [], file: false };
    answers.set(status, known);
    return known;
  };
  for (const { body, status = endpoint.settings.status } of endpoint.replies ?? [{ body: endpoint.response }]) {
    const carried = answerOf(body);
    if (carried === "nothing") at(status ?? 204);
    else if (carried === "file") at(status ?? 200).file = true;
    else if (body.kind === "blob" && body.events !== undefined)
      at(status ?? 200).events.push(jsonSchema(body.events, words.answers));
    else at(status ?? 200).schemas.push(jsonSchema(jsonOf(body), words.answers));
    if (carried === "json or nothing" && status === undefined) at(204);
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
  if (status >= 300) return { description: "It is elsewhere, or as it was.", ...(isEmpty ? {} : { content }) };
  return isEmpty ? { description: "Done; there is nothing to say." } : { description: "Done.", content };
}

function oneOf(schemas: readonly JsonSchema[]): JsonSchema | undefined {
  return schemas.length > 1 ? { anyOf: schemas } : schemas[0];
}
