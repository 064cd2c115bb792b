import type { DeclarationRef, Package } from "../../model/app.ts";
import { declarationKinds } from "../../model/kinds.ts";
import type { DeclarationCall } from "../resolution/declarations.ts";
import type { Project } from "../source/project.ts";
import { modelOf, readers } from "./kinds.ts";
import type { Parsed, ParsedPackage } from "./parsed.ts";
import { placeOf, type Source } from "./source.ts";

/** Reads one declaration. Never throws, whatever the arguments are. */
export function readDeclaration(project: Project, declared: DeclarationCall): Parsed {
  const { name, module, call, placement, variable } = declared;
  const source: Source = { project, module };
  if (placement !== "const" || variable === undefined) {
    return {
      kind: "misplaced",
      name,
      placement: placement === "const" ? "expression" : placement,
      at: placeOf(source, call.callee),
    };
  }
  return readers[declarationKinds[name]].read(source, call, reference(source, variable, declared), name);
}

function reference(source: Source, variable: string, { exported, call }: DeclarationCall): DeclarationRef {
  const binding = source.module.bindings.get(variable);
  const at = placeOf(source, binding?.kind === "variable" ? binding.node.id : call.callee);
  return { module: source.module.path, variable, exported, at };
}

/** The model of a package: of what was read, what is whole. Nothing is missing where the rules found nothing. */
export function packageModel({ name, dir, reads }: ParsedPackage): Package {
  const declarations = reads.flatMap((read) => (read.kind === "misplaced" ? [] : (modelOf(read, name) ?? [])));
  const settings = declarations.find(({ kind }) => kind === "service");
  return { name, dir, service: settings ? `${name}-${settings.declaration.variable}` : name, declarations };
}
