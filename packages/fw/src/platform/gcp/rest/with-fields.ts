/** A response that always contains these fields: Google's API descriptions mark every field as optional. */
export type WithFields<Answer, Fields extends keyof Answer> = Answer & Required<Pick<Answer, Fields>>;
