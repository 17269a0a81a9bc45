/** Why a sandbox's request is not carried out, for the agent; `status` is HTTP's. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: 400 | 403 | 404 | 410 | 413 | 422 | 429 | 502 | 503;
  readonly code: string;

  constructor(status: RequestError["status"], code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
