/** A value in a document, at any depth. `undefined` properties are omitted, as in JSON. */
export type Value = null | boolean | number | bigint | string | Date | readonly Value[] | Fields;

/** The properties of a document, or of an object inside one. */
export interface Fields {
  readonly [name: string]: Value | undefined;
}

/**
 * A value that an index can hold. Numbers are doubles and bigints are Int64s: they never equal each other and sort
 * separately.
 */
export type Scalar = null | boolean | number | bigint | string | Date;
