import type { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import type { Session, Tunnel } from "../../../api/v1alpha1/session.ts";
import { tunnelUrl } from "../../../domain/tunnel-url.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { isAlreadyExists, isNotFound, KubeError } from "../../../kube/errors.ts";
import { apiVersionOf, keyOf, keyText } from "../../../lib/resource.ts";
import type { FoundSettings } from "../../session/facts.ts";
import { makeTunnelObjects, routedUrl, type TunnelObject } from "./tunnel-objects.ts";

/** Whose ports are opened, and by which class. */
export interface TunnelSource {
  session: Session;
  sandboxClass: SandboxClass;
}

/** Where people reach the session's ports: at the class's route, else through the gateway. */
export function tunnelsOf(source: TunnelSource, { copied }: FoundSettings, peopleUrl: string): Tunnel[] {
  const { namespace = "", name = "", uid = "" } = source.session.metadata;
  const { tunnelRoute } = source.sandboxClass.spec;
  const urlOf = (port: number): string =>
    tunnelRoute
      ? routedUrl({ name, uid }, port, tunnelRoute)
      : tunnelUrl(peopleUrl, { namespace, session: name, port });
  return (copied.settings?.tunnelPorts ?? []).map((port) => ({ port, url: urlOf(port) }));
}

/** What has to be there for the class's route to lead to the pod; nothing where people come through the gateway. */
export function routedObjects(
  pod: Pod,
  { session, sandboxClass }: TunnelSource,
  tunnels: readonly Tunnel[],
): TunnelObject[] {
  const { name = "", uid = "" } = session.metadata;
  const { tunnelRoute } = sandboxClass.spec;
  const ports = tunnels.map(({ port }) => port);
  return tunnelRoute ? makeTunnelObjects(pod, { name, uid }, ports, tunnelRoute) : [];
}

/**
 * Creates what opens a pod's tunnel ports; what a predecessor has made already stays.
 * @throws KubeError with status 422 where the cluster lacks the kind, or a stranger has the name
 */
export async function openTunnels(
  client: Pick<KubeClient, "create" | "get">,
  objects: readonly TunnelObject[],
): Promise<void> {
  for (const one of objects) await create(client, one);
}

async function create(client: Pick<KubeClient, "create" | "get">, { resource, object }: TunnelObject): Promise<void> {
  try {
    await client.create(resource, object);
  } catch (error) {
    // Its namespace holds the pod that was just made, so it is the kind that is not there.
    if (isNotFound(error)) {
      throw refusal(
        `the cluster has no ${resource.kind} (${apiVersionOf(resource)}), which tunnelRoute asks for`,
        "NoKind",
      );
    }
    if (!isAlreadyExists(error)) throw error;
    const { metadata } = await client.get(resource, keyOf(object));
    const owner = object.metadata.ownerReferences?.[0]?.uid;
    if (metadata.ownerReferences?.some(({ uid }) => uid === owner)) return;
    throw refusal(`${resource.kind} ${keyText(keyOf(object))} exists and is not the sandbox's`, "NotOwned");
  }
}

function refusal(message: string, reason: string): KubeError {
  return new KubeError({ message, status: 422, reason, delivery: "received" });
}
