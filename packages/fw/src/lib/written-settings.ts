/**
 * The settings of a declaration: as constants in the source, or as its record has them when the application runs. A
 * difference means that the source was not read correctly.
 */
export interface WrittenSettings {
  readonly [name: string]: WrittenSetting;
}

export type WrittenSetting = string | number | boolean | readonly WrittenSetting[] | WrittenSettings;
