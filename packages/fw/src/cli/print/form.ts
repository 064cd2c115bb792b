import { Refusal } from "../command.ts";

interface FormOptions<Form> {
  readonly json: true | undefined;
  readonly format: Form | undefined;
}

export function formOf<Form extends string>({ json, format }: FormOptions<Form>): Form | "json" | "text" {
  if (json && format !== undefined && format !== "json")
    throw new Refusal(`use either "--json" or "--format ${format}"`);
  return format ?? (json ? "json" : "text");
}
