/** True for the name of a password field. No page sends its value back. */
export function isPasswordName(name: string): boolean {
  return /pass(?:word|phrase|code|wd)/i.test(name);
}
