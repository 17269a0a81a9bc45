import type { ValueType } from "./value-types.ts";

/** One flag of a command; without `value` it is a switch. */
export interface Flag {
  /** One letter. */
  short?: string;
  /** What stands for the value in the help, such as `URL`. */
  value?: string;
  /** How the value is read; as text without it. */
  type?: ValueType<unknown>;
  default?: string | number;
  /** May be given more than once; its values are texts. */
  repeats?: true;
  /** Says in the help what the flag does, and its unit. */
  about: string;
}
export type Flags = Readonly<Record<string, Flag>>;

/** What the user gave for each flag. */
export type FlagValues<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends { repeats: true }
    ? readonly string[]
    : F[Name] extends { value: string }
      ? ValueOf<F[Name]> | (F[Name] extends { default: unknown } ? never : undefined)
      : boolean;
};
type ValueOf<F extends Flag> = F extends { type: ValueType<infer T> } ? T : string;
