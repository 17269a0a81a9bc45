import type { KnownNetwork } from "../../src/controllers/sandbox/network/cluster-network.ts";

/** A cluster whose own addresses are known, and none of the internet's. */
export const privateNetwork = {
  known: { ranges: [], hasUserNamespaces: false } as KnownNetwork,
  onChange: (): void => undefined,
};
