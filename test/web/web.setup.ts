import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";

import Provider from "oidc-provider";
import type { TestProject } from "vitest/node";

import { ensurePki } from "../../hack/lib/pki.ts";
import { freePorts } from "../../hack/lib/ports.ts";
import { progressOnStderr } from "../../hack/lib/progress.ts";
import { startEquippedControlPlane } from "../support/control-plane.setup.ts";

/** The identity provider that the test API server trusts. */
export interface TestIssuer {
  url: string;
  clientId: string;
  /** Where its client's page must be: redirects go there alone. */
  pagePort: number;
  /** Authority of its certificate, PEM. */
  authority: string;
}

declare module "vitest" {
  interface ProvidedContext {
    testIssuer: TestIssuer;
  }
}

const clientId = "runwright-page";

/** A control plane that trusts an identity provider, which runs as long. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "runwright-issuer-"));
  await ensurePki(folder, [{ name: "issuer", subject: "/CN=issuer", extension: "subjectAltName=IP:127.0.0.1" }]);
  const [port = 0, pagePort = 0] = await freePorts(2);
  const url = `https://127.0.0.1:${port}`;
  const [cert, key, authority] = await Promise.all(
    ["issuer.crt", "issuer.key", "ca.crt"].map((file) => readFile(join(folder, file), "utf8")),
  );
  const provider = new Provider(url, {
    clients: [
      {
        client_id: clientId,
        // So that it may be redirected to plain HTTP on this machine.
        application_type: "native",
        token_endpoint_auth_method: "none",
        redirect_uris: [`http://127.0.0.1:${pagePort}/page/provider/callback`],
      },
    ],
  });
  const answer = provider.callback();
  const server = createServer({ cert: cert!, key: key! }, (request, response) => void answer(request, response)).listen(
    port,
    "127.0.0.1",
  );
  const plane = await startEquippedControlPlane({
    progress: progressOnStderr("control plane"),
    policies: "of any release",
    apiserverFlags: [
      `--oidc-issuer-url=${url}`,
      `--oidc-client-id=${clientId}`,
      `--oidc-ca-file=${join(folder, "ca.crt")}`,
      "--oidc-username-claim=sub",
      "--oidc-username-prefix=oidc:",
    ],
  });
  const { kubeconfig, kubectl, server: address, certificateAuthority, token } = plane;
  project.provide("testCluster", { kubeconfig, kubectl, server: address, certificateAuthority, token });
  project.provide("testIssuer", { url, clientId, pagePort, authority: authority! });
  return async () => {
    await plane.stop();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  };
}
