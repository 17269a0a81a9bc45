import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { gatewayTlsSecretName } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../telemetry/logger.ts";

/** What a TLS server shows of itself, PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** When a certificate is over, in milliseconds since 1970. */
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

/** How soon a new certificate is in use; the old one is valid for much longer than that. */
const everyMs = 15_000;
/** At start the controller may be making it right now. */
const everyMsUntilFound = 500;

/**
 * The gateway's certificate as the controller keeps it in a Secret. Calls back with the first usable one and with each
 * later one, until the signal ends it; a Secret that cannot be read or used changes nothing.
 */
export async function followCertificate(
  deps: Deps,
  use: (certificate: Certificate) => void,
  signal: AbortSignal,
): Promise<void> {
  let version: string | undefined;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
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
    // Throws when the two do not belong together, before a server would.
    createSecureContext(certificate);
    use(certificate);
    logger.info({}, "Took a certificate into use");
    return true;
  } catch (error) {
    logger.error({ err: error, name: gatewayTlsSecretName }, "The gateway's certificate cannot be used");
    return false;
  }
}
