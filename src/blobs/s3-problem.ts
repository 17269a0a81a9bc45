import type { S3Options } from "./s3-store.ts";

/** A setting with which the blob store cannot work; the message names it. */
export class BlobSettingError extends Error {
  override readonly name = "BlobSettingError";
}

/** The setting that caused the server's refusal; undefined for errors that may be temporary. */
export function s3Problem(error: unknown, { bucket, region }: S3Options): BlobSettingError | undefined {
  const code = nameOf(error);
  const message = messages[code] ?? (isRefusal(statusOf(error)) ? refused : undefined);
  return message && new BlobSettingError(message({ bucket, region, code }));
}

type Message = (facts: Pick<S3Options, "bucket" | "region"> & { code: string }) => string;

const refused: Message = ({ bucket, code }) =>
  `AWS_ACCESS_KEY_ID may not list RUNWRIGHT_S3_BUCKET ${JSON.stringify(bucket)} (${code}): it needs s3:ListBucket`;
const elsewhere: Message = ({ bucket, region }) =>
  `RUNWRIGHT_S3_REGION is ${JSON.stringify(region)}, but bucket ${JSON.stringify(bucket)} lies in another region`;

const messages: Readonly<Record<string, Message>> = {
  NoSuchBucket: ({ bucket }) =>
    `RUNWRIGHT_S3_BUCKET is ${JSON.stringify(bucket)}, but the server has no such bucket; create it first`,
  InvalidAccessKeyId: () => "AWS_ACCESS_KEY_ID is a key that the server does not know",
  SignatureDoesNotMatch: () => "AWS_SECRET_ACCESS_KEY does not fit AWS_ACCESS_KEY_ID",
  CredentialsProviderError: () =>
    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and no other credentials were found",
  AccessDenied: refused,
  PermanentRedirect: elsewhere,
  AuthorizationHeaderMalformed: elsewhere,
};

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

/** Whether the same request would be refused again. */
function isRefusal(status: unknown): boolean {
  return typeof status === "number" && status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function statusOf(error: unknown): unknown {
  const { $metadata } = (error ?? {}) as { $metadata?: { httpStatusCode?: unknown } };
  return $metadata?.httpStatusCode;
}
