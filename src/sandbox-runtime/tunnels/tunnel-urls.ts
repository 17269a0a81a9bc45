import type { BundleTunnels } from "../../api/runtime/bundle.ts";
import type { TunnelUrl } from "../../api/runtime/messages.ts";
import type { Clock } from "../../lib/clock.ts";
import type { PlatformVariables } from "../boot/environment.ts";

/** URLs of the session's tunnel ports, once the gateway has sent them. */
export class TunnelUrls {
  readonly #known = Promise.withResolvers<true>();
  #urls: readonly TunnelUrl[] = [];

  set(urls: readonly TunnelUrl[]): void {
    this.#urls = urls;
    this.#known.resolve(true);
  }

  /** Waits for the URLs; false when they did not come in time. Does not wait where there are no ports. */
  async wait({ ports, waitSeconds }: BundleTunnels, clock: Clock): Promise<boolean> {
    if (ports.length === 0 || this.#urls.length > 0) return true;
    const late = Promise.withResolvers<false>();
    const timer = clock.setTimeout(() => late.resolve(false), waitSeconds * 1_000);
    const inTime = await Promise.race([this.#known.promise, late.promise]);
    timer.cancel();
    return inTime;
  }

  /** Variables of hooks and agent; `TUNNEL_<port>` only where the URL is known. */
  environment(tunnels: BundleTunnels | undefined): PlatformVariables {
    if (!tunnels || tunnels.ports.length === 0) return {};
    const variables: PlatformVariables = {
      EXPECTED_TUNNEL_PORTS: tunnels.ports.join(","),
      TUNNEL_WAIT_TIMEOUT_SECONDS: String(tunnels.waitSeconds),
    };
    for (const { port, url } of this.#urls) variables[`TUNNEL_${port}`] = url;
    return variables;
  }
}
