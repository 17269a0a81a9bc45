import { ErrorTail } from "./error-tail.ts";

/** The end of a command's output that explains a failure: that of standard error or, where it has none, of standard output. */
export class CommandTail {
  readonly #tails: Readonly<Record<"stdout" | "stderr", ErrorTail>>;

  constructor(secrets: readonly string[]) {
    this.#tails = { stderr: new ErrorTail(secrets), stdout: new ErrorTail(secrets) };
  }

  take(stream: "stdout" | "stderr", text: string): void {
    this.#tails[stream].take(text);
  }

  /** A failure with as many of the last lines behind it as there is room for. */
  explainAtLength(failure: string): string {
    const { stdout, stderr } = this.#tails;
    return (stderr.lines().length > 0 ? stderr : stdout).explainAtLength(failure);
  }
}
