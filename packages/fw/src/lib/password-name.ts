/** True for the name of a password field, whose value no page sends back. */
export function isPasswordName(name: string): boolean {
  return /pass(?:word|phrase|code|wd)/i.test(name);
}
