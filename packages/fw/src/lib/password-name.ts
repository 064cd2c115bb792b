/** True for the name of a field that holds a password, which no page sends back. */
export function isPasswordName(name: string): boolean {
  return /pass(?:word|phrase|code|wd)/i.test(name);
}
