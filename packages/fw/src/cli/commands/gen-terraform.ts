import type { Command, ExitCode, OptionValues } from "../command.ts";
import { domainsOption } from "../deploy/domains-option.ts";
import { readTarget, targetOptions } from "../deploy/target.ts";
import type { IO } from "../io.ts";
import { textOption } from "../parse.ts";

/** `fw gen terraform`. */
export const genTerraform: Command = {
  name: "gen terraform",
  summary: "print what a deploy would make as a configuration of Terraform",
  details: [
    "For those who have to own their infrastructure: every resource that fw deploy would make, with the same names, settings and grants, for the provider google. Nothing is asked of the project. The images of services come in by a variable, since Terraform pushes none. The same source gives the same text. See docs/terraform.md.",
  ],
  options: { ...targetOptions, ...domainsOption, out: { value: "<path>", summary: "write it to this file instead" } },
  examples: [
    {
      line: "fw gen terraform --project acme-1 --env prod --region europe-west1 --out main.tf",
      says: "to be applied by Terraform",
    },
  ],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const { writeTerraform } = await import("../gen/terraform.ts");
    return writeTerraform(
      { ...readTarget(options, io), withoutDomains: options["without-domains"] === true },
      textOption(options, "out"),
      io,
    );
  },
};
