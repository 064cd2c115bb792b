/** Openers that put a relative clause where a noun or a verb belongs: "What an argument names" for "Resolves the argument". */
export const relativeOpener = /^(?:What|Who|Whom|Whose|Those|That|Of|As|Where)\b/;

/** Verbs that hide the actor: "is told" for "fw reports". */
export const lightPassive =
  /\b(?:is|are|was|were|be|been|being) (?:told|kept|asked|said|let|handed|taken for|gone on|brought)\b/gi;

/** Pronouns in the place of an actor: client, user, operator, another deploy. */
export const vagueActor = /\b(?:somebody|nobody|whoever|whomever)\b/gi;

/** The longest line of a comment or of a paragraph in the docs. */
export const proseColumns = 120;

/** A name that lives for more lines than this has to name a thing. */
export const shortLivedLines = 5;

/** Participles that name no thing: `found` for `problems`, `wanted` for `desiredResources`. Compared in lower case. */
export const participles: ReadonlySet<string> = new Set(
  `allowed answered asked begun bounded brought called carried chosen come counted cut declared drawn ended entered fed
  felt followed found gained given gone granted handed held hidden joined kept known led left lent let listed lost made
  marked meant met missed moved named needed opened ordered owed owned parted passed recorded refused rejected remembered
  reached said seen sent served shared shown spent spelled spoken stood stored taken told touched traced tried turned
  unasked used waited walked wanted watched written`.split(/\s+/),
);
