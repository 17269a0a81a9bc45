/** An error that the sandbox port answers: `status` is HTTP's, code and message are for the runtime and its agent. */
export class SandboxError<Code extends string = string> extends Error {
  override readonly name = "SandboxError";
  readonly status: 400 | 401 | 403 | 404 | 410 | 413 | 422 | 429 | 502 | 503;
  readonly code: Code;

  constructor(status: SandboxError["status"], code: Code, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  get body(): { error: string; code: Code } {
    return { error: this.message, code: this.code };
  }
}
