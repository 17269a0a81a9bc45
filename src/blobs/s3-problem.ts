import type { S3Options } from "./s3-store.ts";

/** A setting of the blob store with which it can never work; the message names it for people. */
export class BlobSettingError extends Error {
  override readonly name = "BlobSettingError";
}

/** What is wrong with the settings by the server's refusal; undefined for what may pass by itself. */
export function s3Problem(error: unknown, { bucket, region }: S3Options): BlobSettingError | undefined {
  const code = nameOf(error);
  const says = sayings[code] ?? (isRefusal(statusOf(error)) ? refused : undefined);
  return says && new BlobSettingError(says({ bucket, region, code }));
}

type Says = (facts: Pick<S3Options, "bucket" | "region"> & { code: string }) => string;

const refused: Says = ({ bucket, code }) =>
  `AWS_ACCESS_KEY_ID may not list RUNWRIGHT_S3_BUCKET ${JSON.stringify(bucket)} (${code}): it needs s3:ListBucket`;
const elsewhere: Says = ({ bucket, region }) =>
  `RUNWRIGHT_S3_REGION is ${JSON.stringify(region)}, but bucket ${JSON.stringify(bucket)} lies in another region`;

const sayings: Readonly<Record<string, Says>> = {
  NoSuchBucket: ({ bucket }) =>
    `RUNWRIGHT_S3_BUCKET is ${JSON.stringify(bucket)}, but the server has no such bucket; it must be made first`,
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

/** The same request would be refused again, unless the server was only slow or busy. */
function isRefusal(status: unknown): boolean {
  return typeof status === "number" && status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** The SDK puts the HTTP status beside what the server said. */
function statusOf(error: unknown): unknown {
  const { $metadata } = (error ?? {}) as { $metadata?: { httpStatusCode?: unknown } };
  return $metadata?.httpStatusCode;
}
