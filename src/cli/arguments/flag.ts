import type { ValueType } from "./value-types.ts";

/** One flag of a command; a flag without `value` is a switch. */
export interface Flag {
  /** One letter. */
  short?: string;
  /** Placeholder for the value in the help, such as `URL`. */
  value?: string;
  /** How to read the value; without a type it is text. */
  type?: ValueType<unknown>;
  default?: string | number;
  /** May be given more than once; all values are text. */
  repeats?: true;
  /** Explains the flag in the help. */
  about: string;
}
export type Flags = Readonly<Record<string, Flag>>;

/** The values of flags. */
export type FlagValues<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends { repeats: true }
    ? readonly string[]
    : F[Name] extends { value: string }
      ? ValueOf<F[Name]> | (F[Name] extends { default: unknown } ? never : undefined)
      : boolean;
};
type ValueOf<F extends Flag> = F extends { type: ValueType<infer T> } ? T : string;
