/** An answer in which these fields are always there: in Google's descriptions every field may be missing. */
export type Given<Answer, Fields extends keyof Answer> = Answer & Required<Pick<Answer, Fields>>;
