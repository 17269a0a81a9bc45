import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { readFile } from "node:fs/promises";
import type { Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { createPageServer } from "../page-server/page-server.ts";
import type { PageFile } from "../page-server/page-files.ts";
import type { Logger } from "../telemetry/logger.ts";
import { type GatewayAddress, gatewayLink } from "./gateway-link.ts";
import { type ProviderConfig, ProviderSignIn } from "./provider-sign-in.ts";
import { SealedCookies } from "./sealed-cookies.ts";
import { SignInGate } from "./sign-in-gate.ts";
import { SignInSessions } from "./sign-in-session.ts";
import { WebAccess } from "./web-access.ts";
import { defineWebMetrics } from "./web-metrics.ts";

/** How the page is served. */
export interface WebConfig {
  port: number;
  gateway: GatewayAddress;
  takesTokens: boolean;
  /** Absent where people sign in by tokens alone. */
  provider?:
    (Omit<ProviderConfig, "clientSecret"> & { /** Empty: a public client. */ clientSecretFile: string }) | undefined;
  /** The namespace that is shown first; empty: all. */
  namespace: string;
}

export interface WebDeps {
  config: WebConfig;
  files: readonly PageFile[];
  clock: Clock;
  random: Random;
  logger: Logger;
  registry: Registry;
}

export interface RunningWeb {
  port: number;
  notReadyBecause(): string | undefined;
  close(): Promise<void>;
}

/**
 * Serves the page to people who sign in. It has no rights in the cluster. The key of its cookies is in this process alone, so a
 * restart signs everybody out.
 */
export async function startWeb({ config, files, clock, random, logger, registry }: WebDeps): Promise<RunningWeb> {
  const cookies = new SealedCookies(random.bytes(32), clock);
  const gateway = gatewayLink(config.gateway);
  const onError = (error: unknown): void => logger.warn({ err: error }, "Could not answer a request");
  const provider = config.provider && (await providerOf(config.provider, { cookies, clock, random }));
  const sessions = new SignInSessions({ cookies, clock, random });
  const { takesTokens, namespace } = config;
  const metrics = defineWebMetrics(registry);
  const onRefused = (): void => metrics.signInsRefused.inc();
  const gate = new SignInGate(clock);
  const people = { sessions, gate, takesTokens, provider };
  const access = new WebAccess({ ...people, clock, gateway, namespace, onError, onRefused });
  const server = createPageServer({ files, access, gateway, onError, onDropped: () => metrics.dropped.inc() });
  server.listen(config.port);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    notReadyBecause: () => undefined,
    async close() {
      const closed = once(server, "close");
      server.close();
      // Streams of events last as long as their readers want.
      server.closeAllConnections();
      await closed;
    },
  };
}

async function providerOf(
  { clientSecretFile, ...config }: NonNullable<WebConfig["provider"]>,
  deps: { cookies: SealedCookies; clock: Clock; random: Random },
): Promise<ProviderSignIn> {
  const clientSecret = clientSecretFile === "" ? undefined : (await readFile(clientSecretFile, "utf8")).trim();
  return new ProviderSignIn({ config: { ...config, clientSecret }, ...deps });
}
