/**
 * The settings of a declaration, as constants of the source or as its record has them when the application runs: what
 * is another one there was not read as it is.
 */
export interface WrittenSettings {
  readonly [name: string]: WrittenSetting;
}

export type WrittenSetting = string | number | boolean | readonly WrittenSetting[] | WrittenSettings;
