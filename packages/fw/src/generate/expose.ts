/** The name under which a module exports a declaration to generated code, whether the application exports it or not. */
export function exposedName(variable: string): string {
  return `$fw_${variable}`;
}

/** The text of a module that also exports its declarations to generated code. Lines keep their numbers. */
export function exposeDeclarations(moduleText: string, variables: readonly string[]): string {
  if (variables.length === 0) return moduleText;
  const exports = variables.map((variable) => `${variable} as ${exposedName(variable)}`);
  return `${moduleText}\nexport { ${exports.join(", ")} };\n`;
}
