/** A failure that a person reads: what went wrong, where, and what to do next. */
export class CliError extends Error {
  override readonly name = "CliError";
  /** 2 for a command line with a mistake, else 1. */
  readonly exitStatus: number;

  constructor(message: string, exitStatus = 1) {
    super(message);
    this.exitStatus = exitStatus;
  }
}

/** A mistake in the command line of `command`, such as `session logs`; without one, of the whole program. */
export function misuse(problem: string, command = ""): CliError {
  return new CliError(`${problem}\nSee ${["kubectl runwright", command, "--help"].filter(Boolean).join(" ")}`, 2);
}
