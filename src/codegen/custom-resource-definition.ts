import type { Kind } from "../api/v1alpha1/index.ts";
import { structuralSchema, type StructuralSchema } from "./structural-schema.ts";

/** Default status of an object that no controller has seen; without it kstatus calls the object Current. */
const untouchedStatus = { observedGeneration: -1 };

/** The schema of a whole object of a kind. */
export function objectSchema(kind: Kind): StructuralSchema {
  return {
    description: kind.description,
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      // Named here only so that the rule on names can point at it.
      metadata: { type: "object", properties: { name: { type: "string" } } },
      spec: structuralSchema(kind.spec, "spec"),
      ...(kind.status && { status: { ...structuralSchema(kind.status, "status"), default: untouchedStatus } }),
    },
    "x-kubernetes-validations": kind.rules.map(({ cel, message, fieldPath, reason }) => ({
      rule: cel,
      message,
      ...(reason ? { reason } : {}),
      ...(fieldPath ? { fieldPath } : {}),
    })),
  };
}

function scaleOf({ scale }: Kind): object {
  if (!scale) return {};
  const { wanted, observed, selector } = scale;
  return { scale: { specReplicasPath: wanted, statusReplicasPath: observed, labelSelectorPath: selector } };
}

/** The CustomResourceDefinition of a kind. */
export function customResourceDefinition(kind: Kind): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.plural}.${kind.group}` },
    spec: {
      group: kind.group,
      scope: kind.namespaced ? "Namespaced" : "Cluster",
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.kind.toLowerCase(),
        shortNames: [...kind.shortNames],
        categories: ["runwright"],
      },
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          ...(kind.status && { subresources: { status: {}, ...scaleOf(kind) } }),
          additionalPrinterColumns: kind.columns,
          ...(kind.selectableFields && {
            selectableFields: kind.selectableFields.map((jsonPath) => ({ jsonPath })),
          }),
          schema: { openAPIV3Schema: objectSchema(kind) },
        },
      ],
    },
  };
}
