import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ensurePki, readPem } from "../../../hack/lib/pki.ts";

/** PEM texts of a server's certificate and of the authority that signed it. */
export interface ServerCertificate {
  authority: string;
  certificate: string;
  key: string;
}

/** Makes a new certificate authority and a certificate for these host names; nothing of it stays on this machine. */
export async function makeServerCertificate(hostNames: readonly string[]): Promise<ServerCertificate> {
  const folder = await mkdtemp(join(tmpdir(), "runwright-demo-"));
  const names = hostNames.map((name) => `DNS:${name}`).join(",");
  try {
    await ensurePki(folder, [{ name: "server", subject: "/CN=runwright-demo", extension: `subjectAltName=${names}` }]);
    const [authority, certificate, key] = await Promise.all(
      ["ca.crt", "server.crt", "server.key"].map((file) => readPem(folder, file)),
    );
    return { authority: authority ?? "", certificate: certificate ?? "", key: key ?? "" };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
