import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { gatewayTlsSecretName } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../telemetry/logger.ts";

/** A TLS server's certificate and key, in PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** When a certificate expires, in milliseconds since 1970. */
export function endMsOf({ cert }: Certificate): number {
  return new X509Certificate(cert).validToDate.getTime();
}

interface Deps {
  client: Pick<KubeClient, "find">;
  clock: Clock;
  logger: Logger;
  /** Where the controller keeps the Secret. */
  namespace: string;
}

/** Milliseconds between two reads; the old certificate is valid for much longer than that. */
const everyMs = 15_000;
/** The same at start, when the controller may be creating the Secret. */
const everyMsUntilFound = 500;

/**
 * Follows the gateway's certificate in the Secret that the controller keeps. Calls `use` with the first usable one and
 * with each later one, until the signal aborts; a Secret that cannot be read or used changes nothing.
 */
export async function followCertificate(
  deps: Deps,
  use: (certificate: Certificate) => void,
  signal: AbortSignal,
): Promise<void> {
  let version: string | undefined;
  const isStopped = (): boolean => signal.aborted;
  while (!isStopped()) {
    const secret = await readSecret(deps, signal);
    if (secret && secret.metadata.resourceVersion !== version) {
      version = tryToUse(deps, secret, use) ? secret.metadata.resourceVersion : version;
    }
    await sleep(deps.clock, version === undefined ? everyMsUntilFound : everyMs, signal);
  }
}

async function readSecret({ client, namespace, logger }: Deps, signal: AbortSignal): Promise<Secret | undefined> {
  try {
    return await client.find(secrets, { namespace, name: gatewayTlsSecretName }, { signal });
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, "Could not read the gateway's certificate");
    return undefined;
  }
}

function tryToUse({ logger }: Deps, secret: Secret, use: (certificate: Certificate) => void): boolean {
  const text = (name: string): string => Buffer.from(secret.data?.[name] ?? "", "base64").toString("utf8");
  const certificate = { cert: text("tls.crt"), key: text("tls.key") };
  try {
    // Throws when certificate and key do not match, before the servers get them.
    createSecureContext(certificate);
    use(certificate);
    logger.info({}, "Took a certificate into use");
    return true;
  } catch (error) {
    logger.error({ err: error, name: gatewayTlsSecretName }, "The gateway's certificate cannot be used");
    return false;
  }
}
