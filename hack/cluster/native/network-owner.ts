import { run } from "../../lib/command.ts";
import { readBackground } from "./background.ts";
import { layoutIn, network } from "./layout.ts";

/**
 * The state folder of the cluster that the machine's bridge belongs to; the bridge carries it as its alias. Bridge and
 * packet filter tables exist once, so a machine has room for one native cluster, whatever its cache folder.
 */
export async function readNetworkOwner(): Promise<string | undefined> {
  const text = await run("ip", ["-json", "link", "show", "dev", network.bridge]).catch(() => "[]");
  const [link] = JSON.parse(text) as { ifalias?: string }[];
  return link?.ifalias;
}

/** Says that the bridge belongs to the cluster with this state folder. */
export async function claimNetwork(state: string): Promise<void> {
  await run("ip", ["link", "set", network.bridge, "alias", state]);
}

/** The state folder of another cluster that is using the network now; undefined when it is free or ours. */
export async function findRival(state: string): Promise<string | undefined> {
  const owner = await readNetworkOwner();
  if (owner === undefined || owner === state) return undefined;
  const programs = [...(await readBackground(layoutIn(owner))).values()];
  return programs.some((pid) => pid !== undefined) ? owner : undefined;
}
