/**
 * A mistake that prevents the compilation of a template; the walker converts it to a diagnostic at the current node.
 */
export class TemplateError extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
