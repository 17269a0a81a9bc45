import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";

const program = join(import.meta.dirname, "main.ts");

/** Secrets that each process may be given, and that no log may show. */
const secrets = {
  AWS_SECRET_ACCESS_KEY: "planted-key",
  AWS_SESSION_TOKEN: "planted-token",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=planted-header",
};

async function start(
  name: string,
  variables: Record<string, string>,
): Promise<{ status: number | null; said: string }> {
  const env = { PATH: process.env.PATH, POD_NAME: "pod-1", ...secrets, ...variables };
  const child = spawn(process.execPath, [program, name], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { status: child.exitCode, said: out + err };
}

it.each([
  {
    name: "controller",
    variables: { RUNWRIGHT_SANDBOX_IMAGE: "sandbox:1", SANDBOX_BOOT_TIMEOUT_MS: "soon" },
    says: 'SANDBOX_BOOT_TIMEOUT_MS is "soon", but it must be a whole number from 240001 to 604800000; the default is 1800000',
  },
  {
    name: "ingress",
    variables: { RUNWRIGHT_INGRESS_PORT: "65536" },
    says: 'RUNWRIGHT_INGRESS_PORT is "65536", but it must be a whole number from 0 to 65535; the default is 8080',
  },
  {
    name: "gateway",
    variables: { RUNWRIGHT_BLOB_STORE: "ftp" },
    says: 'RUNWRIGHT_BLOB_STORE is "ftp", but it must be one of directory, s3; the default is directory',
  },
  {
    name: "gateway",
    variables: { POD_NAME: "" },
    says: 'POD_NAME is "", but it must be set; it has no default',
  },
  {
    name: "web",
    variables: { RUNWRIGHT_WEB_TOKEN_SIGN_IN: "no" },
    says: 'RUNWRIGHT_WEB_TOKEN_SIGN_IN is "no", but it must be one of true, false; the default is true',
  },
  {
    name: "scheduler",
    variables: {},
    says: 'the first argument is "scheduler", but it must be one of controller, ingress, gateway, connector, web; it has no default',
  },
])("a $name that cannot use $variables ends with that, and with no secret", async ({ name, variables, says }) => {
  expect(await start(name, variables)).toEqual({ status: 1, said: `runwright: ${says}\n` });
});
