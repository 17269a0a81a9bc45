import { z } from "zod";
import { sandboxVolumes } from "../runtime/pod-contract.ts";
import { celList, LabelName, mapOf, matching, Quantity, SubdomainName, text, withRule } from "./schema.ts";
import { isReservedSecretKey, reservedSecretKeys, reservedSecretPattern } from "./secret-scopes.ts";

/** Prefix of variables that the kubelet sets. */
const kubeletPrefix = "KUBERNETES_";

const VariableName = withRule(
  matching(
    z.string().min(1).max(256),
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    "must be letters, digits and underscores, not beginning with a digit",
  ),
  {
    message: "is reserved for the platform",
    cel: `!(self.upperAscii() in ${celList(reservedSecretKeys)}) && !self.upperAscii().matches('${reservedSecretPattern.source}') && !self.upperAscii().startsWith('${kubeletPrefix}')`,
    check: (name) => !isReservedSecretKey(name) && !name.toUpperCase().startsWith(kubeletPrefix),
    reason: "FieldValueForbidden",
  },
);

const Variable = z.object({
  name: VariableName.describe(
    "name of the variable, at most 256 characters: letters, digits and underscores. Names that no secret may have and those that begin with KUBERNETES_ are refused.",
  ),
  value: text(4_096).describe(
    "value of the variable, at most 4,096 characters; not for secrets, as all who may read the class can read it.",
  ),
});

/** Mounts of the sandbox itself; paths below them are allowed. */
const ownDirectories = ["/workspace", "/home/agent", "/tmp"];
/** Directories that the sandbox needs, and their parents. */
const systemDirectories = ["/run", "/usr", "/usr/local", "/usr/local/bin", "/bin", "/etc", "/lib", "/lib64", "/sbin"];
/** Paths at and below which no mount is allowed, but for {@link sharedMemory}. */
const closedTree = /^\/(proc|sys|dev|run\/runwright)(\/|$)/;
/** Shared memory, of which container runtimes give 64 MiB; browsers need more. */
const sharedMemory = "/dev/shm";

const MountPath = withRule(
  matching(
    z.string().min(2).max(256),
    /^(\/[A-Za-z0-9._-]*[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/,
    "must be an absolute path of letters, digits and . _ - without .. or a slash at its end",
  ),
  {
    message: "is a directory of the sandbox itself",
    cel: `self == '${sharedMemory}' || !(self in ${celList([...ownDirectories, ...systemDirectories])}) && !self.matches('${closedTree.source.replaceAll("\\/", "/")}')`,
    check: (path) =>
      path === sharedMemory || (![...ownDirectories, ...systemDirectories].includes(path) && !closedTree.test(path)),
    reason: "FieldValueForbidden",
  },
);

const ownVolumes: readonly string[] = Object.values(sandboxVolumes);

const VolumeName = withRule(LabelName, {
  message: "is a volume of the sandbox itself",
  cel: `!(self in ${celList(ownVolumes)})`,
  check: (name) => !ownVolumes.includes(name),
  reason: "FieldValueForbidden",
});

const sources = ["emptyDir", "configMap", "persistentVolumeClaim", "ephemeral", "image"] as const;

const SourcedVolume = withRule(
  z.object({
    name: VolumeName.describe("name of the volume, at most 63 characters, not one of the sandbox's own."),
    mountPath: MountPath.describe(
      "mountPath is where the volume is mounted in the agent's container: an absolute path of at most 256 characters, not a directory of the sandbox itself.",
    ),
    access: z
      .enum(["ReadOnly", "ReadWrite"])
      .optional()
      .describe("access is ReadOnly or ReadWrite; left out, ReadWrite where the volume allows it."),
    emptyDir: z
      .object({
        sizeLimit: Quantity.describe("sizeLimit is the largest size, such as 1Gi."),
        medium: z
          .enum(["Memory"])
          .optional()
          .describe(
            "medium is Memory for a directory in memory, which counts towards the container's memory limit; left out, it is on the node's disk.",
          ),
      })
      .optional()
      .describe("emptyDir is a directory that is deleted with the pod."),
    configMap: z
      .object({ name: SubdomainName.describe("name of what is mounted, each key as a file, at most 253 characters.") })
      .optional()
      .describe("configMap is a ConfigMap of the session's namespace."),
    persistentVolumeClaim: z
      .object({
        claimName: SubdomainName.describe(
          "claimName is which claim of the session's namespace is mounted, at most 253 characters.",
        ),
      })
      .optional()
      .describe("persistentVolumeClaim is a claim of the session's namespace, such as a cache that sandboxes share."),
    ephemeral: z
      .object({
        storageClassName: SubdomainName.optional().describe(
          "storageClassName of the claim, at most 253 characters; left out, the cluster's default.",
        ),
        size: Quantity.describe("size of the claim, such as 20Gi."),
      })
      .optional()
      .describe("ephemeral is a claim that is created and deleted with the pod."),
    image: z
      .object({
        reference: z
          .string()
          .min(1)
          .max(1_024)
          .describe(
            "reference is what a registry has, such as registry.example.com/models:1, at most 1,024 characters.",
          ),
      })
      .optional()
      .describe("image is the read-only file system of an image; the cluster must support image volumes."),
  }),
  {
    message: `must have exactly one of ${sources.join(", ")}`,
    cel: `[${sources.map((source) => `has(self.${source})`).join(", ")}].filter(is, is).size() == 1`,
    check: (volume) => sources.filter((source) => volume[source] !== undefined).length === 1,
  },
);

const Volume = withRule(SourcedVolume, {
  message: `must be an emptyDir at ${sharedMemory}`,
  cel: `self.mountPath != '${sharedMemory}' || has(self.emptyDir)`,
  check: ({ mountPath, emptyDir }) => mountPath !== sharedMemory || emptyDir !== undefined,
  fieldPath: ".mountPath",
  reason: "FieldValueForbidden",
});
export type AgentVolume = z.infer<typeof Volume>;

/** What a class adds to the agent's container. */
export const agentExtras = {
  env: mapOf(z.array(Variable).max(64), "name")
    .optional()
    .describe(
      "env are environment variables of hooks and agent, at most 64; the session's secrets override those of the same name. Do not put secret values here: use a Secret of a scope.",
    ),
  volumes: mapOf(z.array(Volume).max(16), "name")
    .optional()
    .describe(
      "volumes are further volumes of the agent's container, at most 16; Secrets, host paths and tokens cannot be mounted.",
    ),
};
