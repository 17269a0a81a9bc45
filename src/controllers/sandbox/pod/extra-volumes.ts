import type { AgentVolume } from "../../../api/v1alpha1/agent-extras.ts";
import type { SandboxClassSpec } from "../../../api/v1alpha1/sandbox-class.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { present } from "../present.ts";

type PodSpec = NonNullable<Pod["spec"]>;
type Volume = NonNullable<PodSpec["volumes"]>[number];
type Mount = NonNullable<PodSpec["containers"][number]["volumeMounts"]>[number];

/** The volumes that a class adds; only kinds that bring in nothing of the node and no credential. */
export function extraVolumes({ volumes = [] }: Pick<SandboxClassSpec, "volumes">): Volume[] {
  return volumes.map((volume) => ({ name: volume.name, ...sourceOf(volume) }));
}

/** Where the agent's container, and no other, has them. */
export function extraMounts({ volumes = [] }: Pick<SandboxClassSpec, "volumes">): Mount[] {
  return volumes.map(({ name, mountPath, access }) => ({
    name,
    mountPath,
    ...(access === "ReadOnly" ? { readOnly: true } : {}),
  }));
}

function sourceOf({ emptyDir, configMap, persistentVolumeClaim, ephemeral, image }: AgentVolume): Omit<Volume, "name"> {
  if (emptyDir) return { emptyDir: present(emptyDir) };
  if (configMap) return { configMap };
  if (persistentVolumeClaim) return { persistentVolumeClaim };
  if (image) return { image };
  return claimedVolume(ephemeral?.size ?? "", ephemeral?.storageClassName);
}

/** A volume of this size from a claim that is made for the pod and deleted with it. */
export function claimedVolume(
  storage: string,
  storageClassName: string | undefined,
  dataSource?: { apiGroup: string; kind: string; name: string },
): Omit<Volume, "name"> {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } };
  return { ephemeral: { volumeClaimTemplate: { spec: { ...spec, ...present({ storageClassName, dataSource }) } } } };
}
