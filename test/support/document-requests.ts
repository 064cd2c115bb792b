import type { Chance } from "../types/random.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Generates values for the schemas of an OpenAPI document, some of them intentionally wrong. */
export class DocumentValues {
  /** Strings from earlier responses: names and ids that exist. */
  readonly texts: string[] = ["a", "", "ann@example.com", "https://example.com", "2026-01-31T12:00:00Z"];
  readonly #chance: Chance;
  readonly #components: JsonSchema;

  constructor(chance: Chance, components: JsonSchema) {
    this.#chance = chance;
    this.#components = components;
  }

  of(schema: JsonSchema, depth: number = 6): unknown {
    const chance = this.#chance;
    if (chance.below(25) === 0) return chance.one<unknown>([null, -1, "x".repeat(5000), [], {}, true, 1.5]);
    const { $ref, anyOf, enum: members, const: constant, type } = schema;
    if (typeof $ref === "string") return this.of(this.#named($ref), depth - 1);
    if (Array.isArray(anyOf)) return this.of(chance.one(anyOf as JsonSchema[]), depth - 1);
    if (constant !== undefined) return constant;
    if (Array.isArray(members)) return chance.one(members);
    switch (Array.isArray(type) ? chance.one(type as unknown[]) : type) {
      case "string":
        return this.#text(schema);
      case "integer":
      case "number":
        return Number(schema["minimum"] ?? 0) + chance.below(4);
      case "boolean":
        return chance.below(2) === 0;
      case "array":
        return depth < 0 ? [] : chance.times(3, () => this.of((schema["items"] ?? {}) as JsonSchema, depth - 1));
      case "object":
        return this.#object(schema, depth);
      default:
        return null;
    }
  }

  /** Collects the strings of a response. */
  learn(value: unknown): void {
    if (typeof value === "string" && value.length < 200 && this.texts.length < 200) this.texts.push(value);
    if (typeof value === "object" && value !== null) for (const member of Object.values(value)) this.learn(member);
  }

  #text({ format, minLength }: JsonSchema): string {
    const chance = this.#chance;
    if (format === "date-time") return "2026-01-31T12:00:00Z";
    if (format === "email") return `${chance.one(["ann", "bob", "eve"])}@example.com`;
    if (format === "uri") return "https://example.com/a";
    if (chance.below(2) === 0) return chance.one(this.texts);
    return `${chance.one(["ann", "book", "Hello World", "größe", "😀"])}${"x".repeat(Number(minLength ?? 0))}${chance.below(9)}`;
  }

  #object(schema: JsonSchema, depth: number): object {
    const {
      properties = {},
      required = [],
      additionalProperties,
    } = schema as {
      readonly properties?: Readonly<Record<string, JsonSchema>>;
      readonly required?: readonly string[];
      readonly additionalProperties?: JsonSchema | boolean;
    };
    const members = Object.entries(properties)
      .filter(([name]) =>
        required.includes(name) ? this.#chance.below(30) > 0 : depth > 0 && this.#chance.below(2) === 0,
      )
      .map(([name, member]): [string, unknown] => [name, this.of(member, depth - 1)]);
    if (typeof additionalProperties === "object" && depth > 0)
      members.push(["key", this.of(additionalProperties, depth - 1)]);
    return Object.fromEntries(members);
  }

  #named($ref: string): JsonSchema {
    const path = $ref
      .replace("#/components/", "")
      .split("/")
      .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
    return path.reduce<JsonSchema>((value, part) => value[part] as JsonSchema, this.#components);
  }
}
