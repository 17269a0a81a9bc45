import { expect, it } from "vitest";

import { s3Problem } from "./s3-problem.ts";

const options = { bucket: "sessions", prefix: "", region: "eu-north-1", forcePathStyle: true };

function anError(name: string, status?: number): Error {
  return Object.assign(new Error("the server's words"), { name, $metadata: { httpStatusCode: status } });
}

it.each([
  { error: anError("NoSuchBucket", 404), setting: 'RUNWRIGHT_S3_BUCKET is "sessions"' },
  { error: anError("InvalidAccessKeyId", 403), setting: "AWS_ACCESS_KEY_ID is" },
  { error: anError("SignatureDoesNotMatch", 403), setting: "AWS_SECRET_ACCESS_KEY does not fit" },
  { error: anError("CredentialsProviderError"), setting: "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set" },
  { error: anError("AccessDenied", 403), setting: "AWS_ACCESS_KEY_ID may not list" },
  { error: anError("Unknown", 400), setting: "AWS_ACCESS_KEY_ID may not list" },
  { error: anError("XAdminUserNotFound", 404), setting: "AWS_ACCESS_KEY_ID may not list" },
  { error: anError("PermanentRedirect", 301), setting: 'RUNWRIGHT_S3_REGION is "eu-north-1"' },
])("names what is wrong by $error.name", ({ error, setting }) => {
  expect(s3Problem(error, options)?.message).toContain(setting);
});

it.each([
  anError("TimeoutError"),
  anError("SlowDown", 503),
  anError("InternalError", 500),
  anError("Slow", 408),
  anError("Busy", 429),
  "nothing",
  undefined,
])("leaves %s to pass by itself", (error) => {
  expect(s3Problem(error, options)).toBeUndefined();
});
