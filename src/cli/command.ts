import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Flags, FlagValues } from "./arguments/flag.ts";
import type { Cluster } from "./cluster/cluster.ts";
import type { Format, Printable } from "./output/printable.ts";

/** Where a command says what it does, beside its result. */
export interface CommandIo {
  /** Standard output, for what comes bit by bit; all else is a command's result. */
  write(text: string): void;
  /** A line for people, on standard error. */
  note(line: string): void;
  /** Width of standard output in characters, where it is a terminal. */
  columns?: number | undefined;
  /** Asks a yes-or-no question; undefined where nobody can be asked. */
  confirm: ((question: string) => Promise<boolean>) | undefined;
}

/** One call of a command. */
export interface Invocation<F extends Flags = Flags> {
  /** As many as the command has `parameters`, or fewer where they are optional. */
  args: readonly string[];
  flags: FlagValues<F>;
  /** `--namespace`, where it was given. */
  namespace: string | undefined;
  /** `--output`, where it was given. */
  format: Format | undefined;
  /** The cluster of the kubeconfig, opened when it is first asked for. */
  cluster: () => Cluster;
  io: CommandIo;
  clock: Clock;
  random: Random;
}

export interface CommandSource<F extends Flags> {
  /** What is written after `kubectl runwright`. */
  name: string;
  /** Half a sentence for the list of commands. */
  summary: string;
  /** What its help says beyond that. */
  details?: string;
  /** Arguments after the name, such as `AUTOMATION`; optional ones in brackets. */
  parameters: readonly string[];
  flags: F;
  /** What `-o` may be; nothing without it. */
  formats: readonly Format[];
  examples: readonly string[];
  /** Undefined: it has written all that there is to say. A method, so that a command with flags of its own is still a `Command`: the parser gives it just those. */
  run(invocation: Invocation<F>): Promise<Printable | undefined>;
}
export type Command = CommandSource<Flags>;

/** Declares a command; its `run` sees the values of exactly its own flags. */
export function defineCommand<const F extends Flags>(source: CommandSource<F>): Command {
  return source;
}
