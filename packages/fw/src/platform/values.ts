/** A value in a document, at any depth. `undefined` properties are omitted, as in JSON. */
export type Value = null | boolean | number | bigint | string | Date | readonly Value[] | Fields;

/** The properties of a document, or of an object inside one. */
export interface Fields {
  readonly [name: string]: Value | undefined;
}

/**
 * A value that an index can hold. A number is a double, a bigint an Int64: they are different values and sort
 * separately.
 */
export type Scalar = null | boolean | number | bigint | string | Date;
