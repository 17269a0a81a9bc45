/** A failure that the user reads: what went wrong, where, and what to do next. */
export class CliError extends Error {
  override readonly name = "CliError";
  /** 2 for a command line with a mistake, else 1. */
  readonly exitStatus: number;

  constructor(message: string, exitStatus = 1) {
    super(message);
    this.exitStatus = exitStatus;
  }
}

/** The error for a mistake in the command line; refers to the help of `command`, such as `session logs`. */
export function misuse(problem: string, command = ""): CliError {
  return new CliError(`${problem}\nSee ${["kubectl runwright", command, "--help"].filter(Boolean).join(" ")}`, 2);
}
