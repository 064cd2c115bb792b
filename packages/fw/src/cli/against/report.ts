import { counted } from "../../lib/counted.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { changeRules, changeSentence, needsAction, type Change } from "../../evolution/change.ts";
import { visible } from "../../lib/visible.ts";

/** Converts the changes that need action to diagnostics. Drops the others. */
export function changeDiagnostics(changes: readonly Change[]): readonly Diagnostic[] {
  return changes.filter(needsAction).map((change) => ({
    code: `fw/${change.rule}`,
    at: change.at,
    message: changeSentence(change),
    ...(change.hint !== undefined && { hint: change.hint }),
  }));
}

/** Formats the changes that need no action, and a last line that counts all changes and those that need action. */
export function changesText(changes: readonly Change[], against: string): string {
  const lines = changes
    .filter((change) => !needsAction(change))
    .map((change) => {
      const { at, verdict, rule, hint } = change;
      const place = `${visible(at.path)}:${at.line}:${at.column}`;
      return `${place}: ${verdict}: ${visible(changeSentence(change))} (fw/${rule})${hint === undefined ? "" : `\n  ${hint}`}\n`;
    });
  const open = changes.filter(needsAction).length;
  const total = changes.length === 0 ? "no differences" : counted(changes.length, "difference");
  const verdict = open === 0 ? "none needs action" : `${open} ${open === 1 ? "needs" : "need"} action`;
  return `${lines.join("")}against ${visible(against)}: ${total} in data and interfaces${changes.length === 0 ? "" : `, ${verdict}`}\n`;
}

/** Converts a change to its JSON form. */
export function reportedChange({ rule, verdict, at, message, before, after, hint }: Change): object {
  return { code: `fw/${rule}`, verdict, ...at, message, before, after, hint: hint ?? null };
}

/** The rules for changes, in the form that SARIF lists. */
export const listedChangeRules: readonly { readonly id: string; readonly title: string }[] = Object.entries(
  changeRules,
).map(([id, title]) => ({ id, title }));
