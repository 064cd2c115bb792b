/** Openers that put a relative clause in place of a noun or a verb: "What an argument names". */
export const relativeOpener = /^(?:What|Who|Whom|Whose|Those|That|Of|As|Where)\b/;

/** Verbs that hide the actor: "is told" for "fw reports". */
export const lightPassive =
  /\b(?:is|are|was|were|be|been|being) (?:told|kept|asked|said|let|handed|taken for|gone on|brought)\b/gi;

/** Pronouns used instead of an actor: client, user, operator, another deploy. */
export const vagueActor = /\b(?:somebody|nobody|whoever|whomever)\b/gi;

/** The maximum length of a line in a comment or a paragraph of the docs. */
export const proseColumns = 120;

/** A name that is in use for more lines than this must name a thing. */
export const shortLivedLines = 5;

/** Participles that do not name a thing, such as `found` for `problems`. Compared in lower case. */
export const participles: ReadonlySet<string> = new Set(
  `allowed answered asked begun bounded brought called carried chosen come counted cut declared drawn ended entered fed
  felt followed found gained given gone granted handed held hidden joined kept known led left lent let listed lost made
  marked meant met missed moved named needed opened ordered owed owned parted passed recorded refused rejected remembered
  reached said seen sent served shared shown spent spelled spoken stood stored taken told touched traced tried turned
  unasked used waited walked wanted watched written`.split(/\s+/),
);
