/**
 * The settings of a declaration: constants in the source code, or the values of its record when the application runs. A
 * difference means that the source was read incorrectly.
 */
export interface WrittenSettings {
  readonly [name: string]: WrittenSetting;
}

export type WrittenSetting = string | number | boolean | readonly WrittenSetting[] | WrittenSettings;
