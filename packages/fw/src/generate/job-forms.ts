import type { App } from "../model/app.ts";
import { allOfKind } from "../model/declarations.ts";
import { sampleOfType } from "./example.ts";

/** The form that starts a job in the console of a dev server. */
export interface JobForm {
  readonly job: string;
  /** Sample arguments as JSON; "" for a job without arguments. Absent if the type has no finite value. */
  readonly sample?: string;
}

export function jobForms({ packages, types }: App): readonly JobForm[] {
  return allOfKind(packages, "job").map(({ name, message }) => {
    if (message.kind === "void") return { job: name, sample: "" };
    const sample = sampleOfType(message, types);
    return { job: name, ...(sample !== undefined && { sample: JSON.stringify(sample.value) }) };
  });
}
