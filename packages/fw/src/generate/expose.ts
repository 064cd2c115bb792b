/** Returns the name under which a module exports a declaration to generated code. */
export function exposedName(variable: string): string {
  return `$fw_${variable}`;
}

/** Appends exports of declarations for generated code. Keeps line numbers. */
export function exposeDeclarations(moduleText: string, variables: readonly string[]): string {
  if (variables.length === 0) return moduleText;
  const exports = variables.map((variable) => `${variable} as ${exposedName(variable)}`);
  return `${moduleText}\nexport { ${exports.join(", ")} };\n`;
}
