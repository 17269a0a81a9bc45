/** A failure that is the user's to read: what, where, and how to mend it. */
export class CliError extends Error {
  override readonly name = "CliError";
  /** 2 for a command line that cannot be understood, else 1. */
  readonly exitStatus: number;

  constructor(message: string, exitStatus = 1) {
    super(message);
    this.exitStatus = exitStatus;
  }
}
