/** Names the service of a declaration: `<package>-<variable>`. */
export function serviceName(pkg: string, { variable }: { readonly variable: string }): string {
  return `${pkg}-${variable}`;
}
