import { CliError } from "./cli-error.ts";

/** Why something fails with a file, and what to do about it, by the code of the operating system. */
export type FileReasons = Readonly<Record<string, readonly [reason: string, fix: string]>>;

/** Why something failed with a file, in words; without a fix where none is known. */
export interface FileFailure {
  reason: string;
  fix?: string;
}

export function fileFailure(reasons: FileReasons, error: unknown): FileFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const [reason, fix] = reasons[code] ?? [];
  if (reason !== undefined && fix !== undefined) return { reason, fix };
  return { reason: error instanceof Error ? error.message : "no reason was given" };
}

/** The error that says what cannot be done, such as `--image logo.png cannot be read`. */
export function fileError(what: string, { reason, fix }: FileFailure): CliError {
  return new CliError([`${what}: ${reason}`, ...(fix === undefined ? [] : [fix])].join("\n"));
}
