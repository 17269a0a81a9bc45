/** Why a request about children is not carried out, for the agent; `status` is HTTP's. */
export class ChildError extends Error {
  override readonly name = "ChildError";
  readonly status: 400 | 403 | 404 | 410 | 413 | 429 | 503;
  readonly code: string;

  constructor(status: ChildError["status"], code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
