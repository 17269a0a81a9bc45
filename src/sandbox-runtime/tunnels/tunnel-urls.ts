import type { BundleTunnels } from "../../api/runtime/bundle.ts";
import type { TunnelUrl } from "../../api/runtime/messages.ts";
import type { Clock } from "../../lib/clock.ts";

/** The addresses under which people reach the session's ports, as far as the gateway has said them. */
export class TunnelUrls {
  readonly #known = Promise.withResolvers<true>();
  #urls: readonly TunnelUrl[] = [];

  learn(urls: readonly TunnelUrl[]): void {
    this.#urls = urls;
    this.#known.resolve(true);
  }

  /** Whether the URLs were there in time; a session without ports waits for nothing. */
  async wait({ ports, waitSeconds }: BundleTunnels, clock: Clock): Promise<boolean> {
    if (ports.length === 0 || this.#urls.length > 0) return true;
    const late = Promise.withResolvers<false>();
    const timer = clock.setTimeout(() => late.resolve(false), waitSeconds * 1_000);
    const inTime = await Promise.race([this.#known.promise, late.promise]);
    timer.cancel();
    return inTime;
  }

  /** What hooks and agent are told; `TUNNEL_<port>` only for what is known. */
  environment(tunnels: BundleTunnels | undefined): Record<string, string> {
    if (!tunnels || tunnels.ports.length === 0) return {};
    return {
      EXPECTED_TUNNEL_PORTS: tunnels.ports.join(","),
      TUNNEL_WAIT_TIMEOUT_SECONDS: String(tunnels.waitSeconds),
      ...Object.fromEntries(this.#urls.map(({ port, url }) => [`TUNNEL_${port}`, url])),
    };
  }
}
