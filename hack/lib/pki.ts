import { access, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { run } from "./command.ts";

/** A certificate to sign: who it names, and what it may be used for. */
export interface CertificateRequest {
  name: string;
  /** In openssl's form, for example `/O=system:masters/CN=admin`. */
  subject: string;
  /** One line of openssl's extension syntax. */
  extension: string;
}

/** Extension of a certificate that identifies a client. */
export const clientAuthentication = "extendedKeyUsage=clientAuth";

const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
const validDays = "3650";

/**
 * Files of one throw-away certificate authority in a folder: `ca.crt`, a `NAME.crt` and `NAME.key` for each request, and
 * the pair that signs ServiceAccount tokens, `service-account.key` and `service-account.pub`. Made once; the folder's
 * later users get the same files.
 */
export async function ensurePki(folder: string, requests: readonly CertificateRequest[]): Promise<void> {
  const finished = join(folder, "finished");
  const isFinished = await access(finished).then(
    () => true,
    () => false,
  );
  if (isFinished) return;
  const authority = ["-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=runwright-local"];
  await openssl(folder, "req", "-x509", ...curve, ...authority, "-days", validDays);
  const curveOfKey = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  await openssl(folder, "genpkey", ...curveOfKey, "-out", "service-account.key");
  await openssl(folder, "pkey", "-in", "service-account.key", "-pubout", "-out", "service-account.pub");
  for (const [index, request] of requests.entries()) await sign(folder, request, index + 1);
  await writeFile(finished, "");
}

/** Reads one file of the folder that {@link ensurePki} filled. */
export function readPem(folder: string, file: string): Promise<string> {
  return readFile(join(folder, file), "utf8");
}

async function sign(folder: string, { name, subject, extension }: CertificateRequest, serial: number): Promise<void> {
  await openssl(folder, "req", ...curve, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", subject);
  await writeFile(join(folder, `${name}.ext`), extension);
  const issuer = ["-CA", "ca.crt", "-CAkey", "ca.key", "-set_serial", String(serial)];
  const files = ["-in", `${name}.csr`, "-out", `${name}.crt`, "-extfile", `${name}.ext`];
  await openssl(folder, "x509", "-req", ...issuer, ...files, "-days", validDays);
}

async function openssl(folder: string, ...args: string[]): Promise<void> {
  await run("openssl", args, { cwd: folder });
}
