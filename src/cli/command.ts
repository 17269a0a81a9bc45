import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { PageFile } from "../page-server/page-files.ts";
import type { commonFlags } from "./arguments/common-flags.ts";
import type { Flags, FlagValues } from "./arguments/flag.ts";
import type { Cluster } from "./cluster/cluster.ts";
import type { Format, Printable } from "./output/printable.ts";

/** Output and questions of a command, beside its result. */
export interface CommandIo {
  /** Writes to standard output; for streams, since other commands return a result. */
  write(text: string): void;
  /** Writes a line to standard error. */
  note(line: string): void;
  /** Width of standard output in characters, where it is a terminal. */
  columns?: number | undefined;
  /** Asks a yes-or-no question; undefined without a terminal. */
  confirm: ((question: string) => Promise<boolean>) | undefined;
}

/** One call of a command. */
export interface Invocation<F extends Flags = Flags> {
  /** As many as the command has `parameters`, or fewer where they are optional. */
  args: readonly string[];
  flags: FlagValues<F> & FlagValues<typeof commonFlags>;
  /** `--namespace`. */
  namespace: string | undefined;
  /** `--output`; undefined for text. */
  format: Format | undefined;
  /** The cluster of the kubeconfig, opened by the first call. */
  cluster: () => Cluster;
  io: CommandIo;
  clock: Clock;
  random: Random;
  /** Files of the web page. */
  page: () => readonly PageFile[];
}

export interface CommandSource<F extends Flags> {
  /** The words after `kubectl runwright`. */
  name: string;
  /** Half a sentence for the list of commands; begins in lower case, without a period. */
  summary: string;
  /** Further sentences for the command's own help. */
  details?: string;
  /** Arguments after the name, such as `AUTOMATION`; optional ones in brackets. */
  parameters: readonly string[];
  flags: F;
  /** Values of `-o`; none: the command has no `-o`. */
  formats: readonly Format[];
  examples: readonly string[];
  /**
   * Returns the result, or undefined when everything has been written. A method, because its parameter is bivariant: a
   * command with flags of its own is a `Command`, and the parser gives it exactly those flags.
   */
  run(invocation: Invocation<F>): Promise<Printable | undefined>;
}
export type Command = CommandSource<Flags>;

/** Declares a command; `run` gets the values of its own flags, typed. */
export function defineCommand<const F extends Flags>(source: CommandSource<F>): Command {
  return source;
}
