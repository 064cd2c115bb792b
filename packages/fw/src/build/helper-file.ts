export const helperFile = "rolldown-runtime.js";

const helperImport = /^import (\{ \w+ as __name \} from )?"\.\/rolldown-runtime\.js";$/gm;

/** The helper that sets the name of a function, as in the helper file. */
const nameHelper = `const __name = (target, value) => Object.defineProperty(target, "name", { value, configurable: true });`;

/**
 * Replaces imports of the helper file with the one line that most services need from it, because loading the file takes
 * longer. Imports of other helpers stay. Keeps line numbers.
 */
export function withoutHelperFile(code: string): string {
  return code.replace(helperImport, (_, named) => (named === undefined ? "" : nameHelper));
}
