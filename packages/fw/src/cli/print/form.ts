import { Refusal } from "../command.ts";

interface Asked<Form> {
  readonly json: true | undefined;
  readonly format: Form | undefined;
}

/** The form that `--format` or `--json` asks for. */
export function formOf<Form extends string>({ json, format }: Asked<Form>): Form | "json" | "text" {
  if (json && format !== undefined && format !== "json")
    throw new Refusal(`"--json" and "--format ${format}" ask for two forms`);
  return format ?? (json ? "json" : "text");
}
