/** Names the service that a declaration is, or that a Service describes: `<package>-<variable>`. */
export function serviceName(pkg: string, { variable }: { readonly variable: string }): string {
  return `${pkg}-${variable}`;
}
